package dev.quorate.node.handoff;

import java.util.List;
import java.util.Map;

/**
 * What is kept for others, and what has become of it since this node started.
 *
 * @param targets each member that writes may be kept for
 * @param dropped writes that were not kept, or not sent, by the reason in lower case
 */
public record HandoffStatistics(List<OfTarget> targets, Map<String, Long> dropped) {

    /** No member but this one. */
    public static final HandoffStatistics NONE = new HandoffStatistics(List.of(), Map.of());

    public HandoffStatistics {
        targets = List.copyOf(targets);
        dropped = Map.copyOf(dropped);
    }

    /**
     * One of them.
     *
     * @param member its name
     * @param pendingBytes about what is kept for it
     * @param stored writes sent to it that it has stored
     * @param failed writes sent to it that it has not; they are sent again
     */
    public record OfTarget(String member, long pendingBytes, long stored, long failed) {}
}
