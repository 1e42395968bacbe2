package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;

/** How a conditional write ended. */
public sealed interface Verdict {

    /** It was done, once, and made this version. */
    record Written(Timestamp version) implements Verdict {}

    /**
     * It was not done, and never will be.
     *
     * @param instead the key's entry, {@linkplain Current#asOf as of} the moment of the judgement
     */
    record Unmet(Current instead) implements Verdict {}

    /**
     * It was not done, and never will be: an earlier attempt was refused. The entry at that time is
     * no longer known.
     */
    enum Denied implements Verdict {
        DENIED
    }

    /** Another request or entry has this version: this one was not done, and never will be. */
    enum Taken implements Verdict {
        TAKEN
    }

    /** It was sent again after its records may have been dropped. */
    enum TooOld implements Verdict {
        TOO_OLD
    }

    /** It may have been done, or may still be done: a retry finds out. */
    record Undecided(Timestamp origin) implements Verdict {}
}
