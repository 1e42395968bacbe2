package dev.quorate.node.membership;

import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.List;
import java.util.TreeSet;

/**
 * The settings that determine the owners of a key and the default number of copies. Data is found
 * only under the placement under which it was stored. Addresses are not part of it.
 *
 * @param members the names, sorted
 */
public record Placement(int virtualNodes, int replicationFactor, List<String> members) {

    public Placement {
        members = List.copyOf(members);
    }

    public static Placement of(Topology topology) {
        return new Placement(
                topology.virtualNodes(),
                topology.replicationFactor(),
                topology.members().stream().map(Member::name).toList());
    }

    /** Names the differences, for an error message. */
    String differenceFrom(Placement asked) {
        TreeSet<String> added = new TreeSet<>(asked.members);
        members.forEach(added::remove);
        TreeSet<String> removed = new TreeSet<>(members);
        asked.members.forEach(removed::remove);
        if (!added.isEmpty() || !removed.isEmpty()) {
            return "the members "
                    + String.join(", ", members)
                    + ", and the topology now "
                    + (added.isEmpty() ? "" : "adds " + String.join(", ", added))
                    + (added.isEmpty() || removed.isEmpty() ? "" : " and ")
                    + (removed.isEmpty() ? "" : "lacks " + String.join(", ", removed));
        }
        if (virtualNodes != asked.virtualNodes) {
            return virtualNodes + " virtual nodes for each member, not " + asked.virtualNodes;
        }
        return "the replication factor " + replicationFactor + ", not " + asked.replicationFactor;
    }
}
