package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/** The next action of a {@link ConditionalRound}'s driver. */
public sealed interface ConditionalStep {

    /** Nothing, until a replica answers. */
    enum Wait implements ConditionalStep {
        WAIT
    }

    /** Ask every owner a question other than {@link Question.Accept}. */
    record Ask(Question question) implements ConditionalStep {}

    /**
     * Take the clock's next timestamp, after this reading; see {@link ConditionalRound#stamped}.
     *
     * @param after unsigned
     */
    record Stamp(long after) implements ConditionalStep {}

    /** Write an entry, as it is, to every owner. */
    record Store(Current entry) implements ConditionalStep {}

    /**
     * Ask owners to accept a proposal.
     *
     * @param decides whether it is chosen as soon as one of them accepts it
     */
    record Accept(Timestamp ballot, Proposal proposal, Owners owners, boolean decides)
            implements ConditionalStep {}

    /** Wait a while, and begin with a ballot after this one. */
    record Retry(Timestamp after) implements ConditionalStep {}

    /**
     * Answer the client.
     *
     * @param chosen this write's value, to be written to every owner before the client is answered;
     *     null for none
     */
    record Answer(Verdict verdict, @Nullable Current chosen) implements ConditionalStep {}

    /** The owners of the key that are asked. */
    enum Owners {
        ALL,
        SELF,
        /** All but this node. */
        OTHERS
    }
}
