package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;

/** How a conditional write ended. */
public sealed interface Verdict {

    /** It was done, once, and made this version. */
    record Written(Timestamp version) implements Verdict {}

    /**
     * It was not done, and never will be.
     *
     * @param instead what was there, {@linkplain Current#asOf as of} the moment of the judgement
     */
    record Unmet(Current instead) implements Verdict {}

    /**
     * It was not done, and never will be: an earlier attempt was refused. What was there then is
     * not known any more.
     */
    enum Denied implements Verdict {
        DENIED
    }

    /** Another request has this version, or an entry: this one was not done, and never will be. */
    enum Taken implements Verdict {
        TAKEN
    }

    /** It is sent again after its records may have been dropped. */
    enum TooOld implements Verdict {
        TOO_OLD
    }

    /** It may have been done, may be later, or never: sent again, it finds out. */
    record Undecided(Timestamp origin) implements Verdict {}
}
