package dev.quorate.node.handoff;

import java.util.List;
import java.util.Map;

/**
 * The hints stored now, and counters since this node started.
 *
 * @param targets the members that hints may be stored for
 * @param dropped hints that were not stored or not sent, by the reason in lower case
 */
public record HandoffStatistics(List<OfTarget> targets, Map<String, Long> dropped) {

    /** The statistics of a cluster of one. */
    public static final HandoffStatistics NONE = new HandoffStatistics(List.of(), Map.of());

    public HandoffStatistics {
        targets = List.copyOf(targets);
        dropped = Map.copyOf(dropped);
    }

    /**
     * The figures of one member.
     *
     * @param member its name
     * @param pendingBytes approximate bytes of hints for it
     * @param stored writes sent to it that it has stored
     * @param failed writes sent to it that it has not stored; they are resent
     */
    public record OfTarget(String member, long pendingBytes, long stored, long failed) {}
}
