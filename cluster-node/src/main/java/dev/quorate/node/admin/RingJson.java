package dev.quorate.node.admin;

import dev.quorate.node.http.JsonWriter;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;

/** The page {@code /v0/ring}: what determines the owners of a key, and which member answers. */
final class RingJson {

    private RingJson() {}

    static String text(Member self, Topology topology) {
        JsonWriter json =
                new JsonWriter(1024)
                        .beginObject()
                        .field("self", self.name())
                        .field("replication", topology.replicationFactor())
                        .field("virtualNodes", topology.virtualNodes())
                        .beginArray("members");
        for (Member member : topology.members()) {
            json.beginObject()
                    .field("name", member.name())
                    .field("url", member.url().toString())
                    .endObject();
        }
        return json.endArray().endObject() + "\n";
    }
}
