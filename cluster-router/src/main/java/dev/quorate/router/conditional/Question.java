package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.util.Set;

/** What a coordinator asks the owners of a key. */
public sealed interface Question {

    /** Later than that of every other coordinator, or it is refused. */
    Timestamp ballot();

    /**
     * Promise to accept nothing under an earlier ballot.
     *
     * @param asked versions to answer about, beside that of the replica's entry
     * @param origin of a write to answer about; {@link Timestamp#ZERO} for none
     */
    record Prepare(Timestamp ballot, Set<Timestamp> asked, Timestamp origin) implements Question {

        /** The most versions that may be asked about. */
        public static final int MAX_ASKED = 64;

        public Prepare {
            asked = Set.copyOf(asked);
        }
    }

    /**
     * Accept what is to succeed the replica's entry, which must be what the proposal follows.
     *
     * @param decides whether all others of a majority have accepted it under this ballot: then it
     *     is chosen as soon as this replica accepts it, which stores it as its entry as well
     */
    record Accept(Timestamp ballot, Proposal proposal, boolean decides) implements Question {}

    /** Accept who succeeded a version that the replica's entry has superseded. */
    record Close(Timestamp ballot, Timestamp base, Proposal proposal) implements Question {}

    /** Accept that a write whose condition names no version is never done. */
    record Deny(Timestamp ballot, Timestamp origin, long digest) implements Question {}
}
