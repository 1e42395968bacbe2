package dev.quorate.node.message;

import dev.quorate.storage.Holdings;
import dev.quorate.storage.Timestamp;
import java.util.List;

/**
 * What a member says to {@link ReplicaRequest.Inquire}: all that it holds of a key, but for the
 * values.
 *
 * @param state of itself, its wall clock among them
 * @param gcWatermarkMillis tombstones from before this it may drop, and takes for nothing, in
 *     milliseconds since 1970
 * @param isWhole whether this is all: not more places than fit, and its hints could be looked at
 * @param entries at most {@link #MOST}
 * @param unread places that could not be read; at most {@link #MOST}
 * @param hints writes of the key that it keeps for others; at most {@link #MOST}
 */
public record HeldKey(
        MemberState state,
        long gcWatermarkMillis,
        boolean isWhole,
        List<Holdings.Held> entries,
        List<Holdings.Unread> unread,
        List<Hint> hints) {

    /** The most of each list. */
    public static final int MOST = 64;

    public HeldKey {
        entries = List.copyOf(entries);
        unread = List.copyOf(unread);
        hints = List.copyOf(hints);
        if (entries.size() > MOST || unread.size() > MOST || hints.size() > MOST) {
            throw new IllegalArgumentException("more than " + MOST);
        }
    }

    /** Its wall clock, in milliseconds since 1970. */
    public long wallMillis() {
        return state.wallMillis();
    }

    /**
     * A write that is kept for a member that missed it.
     *
     * @param member the member's number
     */
    public record Hint(int member, Timestamp timestamp) {}
}
