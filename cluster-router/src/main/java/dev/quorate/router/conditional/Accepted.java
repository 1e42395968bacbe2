package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;

/**
 * What a replica has accepted to succeed a version, and under which ballot.
 *
 * @param isCopy whether the replica has it from another one, since it lost its own records: it is
 *     not known to have accepted it itself
 */
public record Accepted(Timestamp ballot, Proposal proposal, boolean isCopy) {

    public Accepted(Timestamp ballot, Proposal proposal) {
        this(ballot, proposal, false);
    }

    /** The same without the new value: nobody will see it. */
    public Accepted withoutValue() {
        return new Accepted(ballot, proposal.withoutValue(), isCopy);
    }
}
