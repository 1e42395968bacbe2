package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;

/**
 * A proposal to succeed a version, as accepted by a replica, and the ballot of the acceptance.
 *
 * @param isCopy whether the replica copied it from another replica after losing its own records: it
 *     is not known to have accepted it itself
 */
public record Accepted(Timestamp ballot, Proposal proposal, boolean isCopy) {

    public Accepted(Timestamp ballot, Proposal proposal) {
        this(ballot, proposal, false);
    }

    /** The same without the new value, which no client will see. */
    public Accepted withoutValue() {
        return new Accepted(ballot, proposal.withoutValue(), isCopy);
    }
}
