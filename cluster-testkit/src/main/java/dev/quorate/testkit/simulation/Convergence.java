package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks into the nodes' stores, which clients cannot: when all has been whole for a while, each
 * replica of a key has its newest entry, whatever it missed.
 */
final class Convergence {

    private final ReplicaSelector selector;
    private final List<SimulatedNode> nodes;
    private final long peaceMillis;
    private final boolean areAllThere;

    /**
     * Left out are nodes whose tables were damaged, as what they cannot read they do not have.
     * Nothing is looked at while the clocks of any two are so far apart that they have nothing to
     * do with each other.
     *
     * @param peaceMillis the true time when clients had stopped. What is stamped later comes from a
     *     clock that was wrong, and nobody need take it before that time
     */
    Convergence(ReplicaSelector selector, List<SimulatedNode> nodes, long peaceMillis) {
        this.selector = selector;
        this.peaceMillis = peaceMillis;
        this.nodes =
                nodes.stream()
                        .filter(node -> node.serving() != null)
                        .filter(node -> !node.mayBeCorrupt() && !anyRefuse(nodes))
                        .toList();
        this.areAllThere = this.nodes.size() == nodes.size();
    }

    /** Whether the clocks of any two are too far apart. */
    static boolean anyRefuse(List<SimulatedNode> nodes) {
        return nodes.stream().anyMatch(node -> nodes.stream().anyMatch(node::refuses));
    }

    /** What is different, key by key; empty if nothing is. */
    List<String> differences(List<String> keys) {
        List<String> differences = new ArrayList<>();
        for (String key : keys) {
            String difference = difference(key);
            if (difference != null) {
                differences.add(difference);
            }
        }
        return differences;
    }

    /**
     * Nodes that lost their disk and do not vote yet: none, if all nodes have had to do with each
     * other for so long.
     */
    List<String> withoutVote() {
        List<String> without = new ArrayList<>();
        for (SimulatedNode node : nodes) {
            NodeCore core = node.serving();
            if (areAllThere && core != null && !core.membership().votes()) {
                without.add(node + " does not vote: " + core.membership().progress());
            }
        }
        return without;
    }

    private @Nullable String difference(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        Map<Member, Entry> entries = new HashMap<>();
        Entry newest = null;
        for (SimulatedNode node : nodes) {
            NodeCore core = node.serving();
            if (core != null && core.store().lookup(bytes) instanceof Lookup.Found(Entry entry)) {
                entries.put(node.member, entry);
                if (newest == null || entry.supersedes(newest)) {
                    newest = entry;
                }
            }
        }
        if (newest == null || newest.timestamp().wallMillis() > peaceMillis) {
            return null;
        }
        List<Member> owners = selector.replicas(bytes, newest.from());
        for (SimulatedNode node : nodes) {
            if (owners.contains(node.member)) {
                Entry entry = entries.get(node.member);
                if (entry == null && isSettled(newest)) {
                    continue;
                }
                if (entry == null || !entry.timestamp().equals(newest.timestamp())) {
                    return "%s has not got %s of %s: it has %s"
                            .formatted(node, newest.timestamp(), key, entry);
                }
            }
        }
        return null;
    }

    /**
     * A tombstone that all members have had, and that hides nothing any more: one of them knows so,
     * though perhaps not the one whose disk was lost since.
     */
    private boolean isSettled(Entry newest) {
        for (SimulatedNode node : nodes) {
            NodeCore core = node.serving();
            if (core != null
                    && newest.isTombstone()
                    && !newest.timestamp().isAfter(core.store().statistics().collectedUpTo())) {
                return true;
            }
        }
        return false;
    }
}
