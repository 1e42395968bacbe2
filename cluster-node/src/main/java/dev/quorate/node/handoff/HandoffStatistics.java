package dev.quorate.node.handoff;

import java.util.List;
import java.util.Map;

/**
 * The hints stored now, and counters since this node started.
 *
 * @param targets each member that hints may be stored for
 * @param dropped hints that were not stored or not sent, by the reason in lower case
 */
public record HandoffStatistics(List<OfTarget> targets, Map<String, Long> dropped) {

    /** Of a cluster of one. */
    public static final HandoffStatistics NONE = new HandoffStatistics(List.of(), Map.of());

    public HandoffStatistics {
        targets = List.copyOf(targets);
        dropped = Map.copyOf(dropped);
    }

    /**
     * The figures of one member.
     *
     * @param member its name
     * @param pendingBytes about the bytes of hints for it
     * @param stored writes sent to it that it has stored
     * @param failed writes sent to it that it has not stored; they are sent again
     */
    public record OfTarget(String member, long pendingBytes, long stored, long failed) {}
}
