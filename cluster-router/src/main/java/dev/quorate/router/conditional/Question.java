package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.util.Set;

/** What a coordinator asks the owners of a key. */
public sealed interface Question {

    /** The ballot; a replica refuses the question if it has promised a later ballot. */
    Timestamp ballot();

    /**
     * Promise to accept nothing under an earlier ballot.
     *
     * @param asked versions to answer about, in addition to that of the replica's entry
     * @param origin the origin of a write to answer about; {@link Timestamp#ZERO} for none
     */
    record Prepare(Timestamp ballot, Set<Timestamp> asked, Timestamp origin) implements Question {

        /** Maximum number of versions that may be asked about. */
        public static final int MAX_ASKED = 64;

        public Prepare {
            asked = Set.copyOf(asked);
        }
    }

    /**
     * Accept a proposal, which must follow the replica's entry.
     *
     * @param decides whether all others of a majority have accepted it under this ballot. Then it
     *     is chosen as soon as this replica accepts it, and the replica also stores it as its entry
     */
    record Accept(Timestamp ballot, Proposal proposal, boolean decides) implements Question {}

    /** Accept which write, if any, succeeded a version that the replica's entry has superseded. */
    record Close(Timestamp ballot, Timestamp base, Proposal proposal) implements Question {}

    /** Accept that a write whose condition names no version is never done. */
    record Deny(Timestamp ballot, Timestamp origin, long digest) implements Question {}
}
