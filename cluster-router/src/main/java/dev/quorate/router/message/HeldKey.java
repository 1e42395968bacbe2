package dev.quorate.router.message;

import dev.quorate.storage.Holdings;
import dev.quorate.storage.Timestamp;
import java.util.List;

/**
 * A member's answer to {@link ReplicaRequest.Inquire}: everything that it has of a key, without the
 * values.
 *
 * @param state its state, including its wall clock
 * @param gcWatermarkMillis the member ignores, and may drop, older tombstones; in milliseconds
 *     since 1970
 * @param isWhole whether this is complete: everything fitted, and its hints were readable
 * @param entries at most {@link #MOST}
 * @param unread places that could not be read; at most {@link #MOST}
 * @param hints its hints of the key for others; at most {@link #MOST}
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
     * A hint for a member.
     *
     * @param member the member's number
     */
    public record Hint(int member, Timestamp timestamp) {}
}
