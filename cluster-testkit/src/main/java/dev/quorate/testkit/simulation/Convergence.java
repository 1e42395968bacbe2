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
import java.util.Objects;
import java.util.Optional;

/**
 * Checks the nodes' stores, which clients cannot: some time after all faults are healed, each
 * replica of a key stores its newest entry, whatever it missed.
 */
final class Convergence {

    private final ReplicaSelector selector;
    private final List<SimulatedNode> nodes;
    private final long peaceMillis;
    private final boolean areAllThere;

    /**
     * Nodes with damaged tables are excluded, because they may lack entries that they cannot read.
     * Nothing is checked while the clocks of any two nodes are so far apart that they refuse each
     * other.
     *
     * @param peaceMillis the true time when clients had stopped. A later timestamp comes from a
     *     skewed clock, and replicas need not accept it before that time
     */
    Convergence(Machines machines, long peaceMillis) {
        this.selector = machines.selector;
        this.peaceMillis = peaceMillis;
        this.nodes =
                machines.nodes.stream()
                        .filter(node -> node.serving() != null)
                        .filter(node -> !node.mayBeCorrupt() && !machines.anyRefuse())
                        .toList();
        this.areAllThere = nodes.size() == machines.nodes.size();
    }

    /** The differences, key by key; empty if there are none. */
    List<String> differences(List<String> keys) {
        return keys.stream().flatMap(key -> difference(key).stream()).toList();
    }

    /**
     * Nodes that lost their disk and do not vote yet; none are expected once all nodes have
     * accepted each other for long enough.
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

    private Optional<String> difference(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        Map<Member, Entry> entries = new HashMap<>();
        Entry newest = null;
        for (SimulatedNode node : nodes) {
            NodeCore core = node.serving();
            if (core != null && core.store().lookup(bytes) instanceof Lookup.Found(Entry entry)) {
                entries.put(node.member, entry);
                if (isOwner(node, entry) && (newest == null || entry.supersedes(newest))) {
                    newest = entry;
                }
            }
        }
        if (newest == null || newest.timestamp().wallMillis() > peaceMillis) {
            return Optional.empty();
        }
        List<Member> owners = selector.replicas(bytes, selector.effectiveFrom(newest.from()));
        for (SimulatedNode node : nodes) {
            if (owners.contains(node.member)) {
                Entry entry = entries.get(node.member);
                boolean isCurrent =
                        entry == null
                                ? isBelowGcWatermark(newest)
                                : entry.timestamp().equals(newest.timestamp());
                if (!isCurrent) {
                    return Optional.of(
                            "%s lacks %s of %s: it stores %s"
                                    .formatted(node, newest.timestamp(), key, entry));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Whether the node is one of the replicas that the entry was written to. A read with a larger
     * {@code from} also replaces older entries on other nodes, which the tombstones that supersede
     * the entry need not reach.
     */
    private boolean isOwner(SimulatedNode node, Entry entry) {
        return selector.replicas(entry.key(), selector.effectiveFrom(entry.from()))
                .contains(node.member);
    }

    /**
     * Whether a tombstone is below the GC watermark of one member: every member has stored it,
     * though one may have lost its disk since.
     */
    private boolean isBelowGcWatermark(Entry newest) {
        return newest.isTombstone()
                && nodes.stream()
                        .map(SimulatedNode::serving)
                        .filter(Objects::nonNull)
                        .map(core -> core.store().tombstonesCollectedUpTo())
                        .anyMatch(upTo -> !newest.timestamp().ceiling().isAfter(upTo));
    }
}
