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

    enum Refused implements Verdict {
        /** It never will be: an earlier attempt was refused, because of an entry not known now. */
        DENIED,
        /** It never will be: another request or entry has this version. */
        TAKEN,
        /** It was sent again after its records may have been dropped. */
        TOO_OLD
    }

    /** It may have been done, or may still be done: a retry finds out. */
    record Undecided(Timestamp origin) implements Verdict {}
}
