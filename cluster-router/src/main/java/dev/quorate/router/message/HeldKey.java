package dev.quorate.router.message;

import dev.quorate.storage.Holdings;
import dev.quorate.storage.Timestamp;
import java.util.List;

/**
 * A member's answer to {@link ReplicaRequest.Inquire}: everything that it stores for a key, without
 * the values.
 *
 * @param state the member's state, including its wall clock
 * @param gcWatermarkMillis in milliseconds since 1970; the member ignores, and may drop, older
 *     tombstones
 * @param isWhole whether this is complete: all items fitted, and the hints were readable
 * @param entries at most {@link #MOST}
 * @param unread places that could not be read; at most {@link #MOST}
 * @param hints its hints of the key for other members; at most {@link #MOST}
 */
public record HeldKey(
        MemberState state,
        long gcWatermarkMillis,
        boolean isWhole,
        List<Holdings.Held> entries,
        List<Holdings.Unread> unread,
        List<Hint> hints) {

    /** Maximum length of each list. */
    public static final int MOST = 64;

    public HeldKey {
        entries = List.copyOf(entries);
        unread = List.copyOf(unread);
        hints = List.copyOf(hints);
        if (entries.size() > MOST || unread.size() > MOST || hints.size() > MOST) {
            throw new IllegalArgumentException("more than " + MOST);
        }
    }

    /** The member's wall clock, in milliseconds since 1970. */
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
