package dev.quorate.node.antientropy;

import dev.quorate.router.message.ComparedRange.Listed;
import dev.quorate.storage.Entry;
import org.jspecify.annotations.Nullable;

/** The action for a key that differs. */
enum Transfer {
    /** The members agree by now, or the other does not own the entry. */
    NOTHING,
    /** Send this node's entry to the other. */
    PUSH,
    /** Fetch the other's entry. */
    PULL;

    /**
     * Decides from this node's current entry. A newer entry replaces an older one on any member, so
     * the number of copies does not grow; but no new copy is made beyond the entry's own {@code
     * from}. If two entries with the same timestamp differ, this node fetches the other's, and then
     * knows which of them wins.
     *
     * @param mine this node's entry; null if it has none
     * @param theirs the other's entry, without its value; null if it has none that both own
     */
    static Transfer of(@Nullable Entry mine, @Nullable Listed theirs, CommonOwnership shared) {
        if (mine == null) {
            return theirs == null ? NOTHING : PULL;
        }
        if (theirs == null) {
            return shared.holds(mine) ? PUSH : NOTHING;
        }
        int order = mine.timestamp().compareTo(theirs.timestamp());
        if (order == 0 && Sums.content(mine) == theirs.content()) {
            return NOTHING;
        }
        return order > 0 ? PUSH : PULL;
    }

    /** Whether this node sends its entry to the other, of two entries with the same timestamp. */
    static boolean gives(@Nullable Entry mine, Entry theirs) {
        return mine != null
                && mine.timestamp().equals(theirs.timestamp())
                && mine.supersedes(theirs);
    }

    /** Whether this node accepts the entry that the other sent for a key. */
    static boolean takes(@Nullable Entry mine, Entry theirs, CommonOwnership shared) {
        return mine == null ? shared.holds(theirs) : theirs.supersedes(mine);
    }
}
