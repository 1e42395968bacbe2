package dev.quorate.node.antientropy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/** What becomes of a key that differs. */
sealed interface Transfer {

    /** Nothing: it has been settled since it was listed, or is nothing for the other. */
    enum Settled implements Transfer {
        SETTLED
    }

    /** The other is to have this entry. */
    record Push(Entry entry) implements Transfer {}

    /** This node is to have the other's entry. */
    enum Pull implements Transfer {
        PULL
    }

    /**
     * Decides by what this node has now. A newer entry replaces an older one wherever that is, so
     * the number of copies does not grow; but where there is none, none is made that the entry's
     * own {@code from} does not ask for.
     *
     * @param mine this node's entry; null if it has none
     * @param theirs the timestamp of the other's; null if it has none that both are to hold
     */
    static Transfer of(@Nullable Entry mine, @Nullable Timestamp theirs, Shared shared) {
        if (mine == null) {
            return theirs == null ? Settled.SETTLED : Pull.PULL;
        }
        if (theirs == null) {
            return shared.holds(mine) ? new Push(mine) : Settled.SETTLED;
        }
        int order = mine.timestamp().compareTo(theirs);
        return order > 0 ? new Push(mine) : order < 0 ? Pull.PULL : Settled.SETTLED;
    }

    /** Whether this node takes what the other sent of a key. */
    static boolean takes(@Nullable Entry mine, Entry theirs, Shared shared) {
        return mine == null ? shared.holds(theirs) : theirs.supersedes(mine);
    }
}
