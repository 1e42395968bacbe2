package dev.quorate.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.WriteOptions;
import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.TestNode;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** The client asks the owner of a key, as the nodes place it. */
final class ClientRingTest {

    private static final int KEYS = 300;

    @Test
    void aReadOfOneReplicaGoesToTheOwner() throws Exception {
        Map<String, String> askedByTarget = new ConcurrentHashMap<>();
        List<LossyDoor> doors = new ArrayList<>();
        try (QuorateCluster cluster = QuorateCluster.start(5)) {
            for (TestNode node : cluster.nodes()) {
                doors.add(
                        new LossyDoor(
                                node.url(),
                                head -> {
                                    askedByTarget.put(head.split(" ", 3)[1], node.name());
                                    return false;
                                }));
            }
            List<URI> uris = doors.stream().map(LossyDoor::uri).toList();
            try (QuorateClient client = QuorateClient.builder().nodes(uris).build()) {
                client.learnRing();
                ReadOptions one = ReadOptions.DEFAULT.replicas(1, 1);
                SplittableRandom random = new SplittableRandom(7);
                Map<String, String> ownerByTarget = new HashMap<>();
                for (int i = 0; i < KEYS; i++) {
                    String key = "k".repeat(random.nextInt(40)) + random.nextInt();
                    ownerByTarget.put(
                            "/v0/entity?id=" + key + "&replicas=1/1",
                            cluster.owners(key).getFirst().name());
                    assertThat(client.get(Key.of(key), one)).isEmpty();
                }
                assertThat(askedByTarget).containsAllEntriesOf(ownerByTarget);
                assertThat(ownerByTarget).containsValues("n1", "n2", "n3", "n4", "n5");
                // An owner that is down is passed over.
                cluster.node(1).kill();
                doors.getFirst().close();
                String key = cluster.owners("a").getFirst().number() == 1 ? "a" : keyOf(cluster);
                assertThat(client.get(Key.of(key), ReadOptions.DEFAULT)).isEmpty();
                client.put(Key.of(key), new byte[1], WriteOptions.DEFAULT);
            }
        } finally {
            for (LossyDoor door : doors) {
                door.close();
            }
        }
    }

    private static String keyOf(QuorateCluster cluster) {
        int i = 0;
        while (cluster.owners("key" + i).getFirst().number() != 1) {
            i++;
        }
        return "key" + i;
    }
}
