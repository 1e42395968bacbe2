package dev.quorate.router.decree;

import dev.quorate.storage.Timestamp;

/**
 * The state of one acceptor of a decree: single-decree Paxos (Lamport, <i>Paxos Made Simple</i>,
 * 2001). Immutable; the acceptor makes each new state durable before it answers.
 *
 * @param promised the highest ballot that this acceptor has answered; it accepts none below
 * @param accepted the ballot of the accepted value; {@link Timestamp#ZERO} if there is none
 * @param value the accepted value; empty if there is none
 */
public record Decree(Timestamp promised, Timestamp accepted, String value) {

    /** The state of an acceptor that was never asked. */
    public static final Decree NONE = new Decree(Timestamp.ZERO, Timestamp.ZERO, "");

    /**
     * @throws IllegalArgumentException if no acceptor can be in this state
     */
    public Decree {
        if (accepted.isAfter(promised) || value.isEmpty() != accepted.equals(Timestamp.ZERO)) {
            throw new IllegalArgumentException(
                    "accepted '%s' at %s after a promise at %s"
                            .formatted(value, accepted, promised));
        }
    }

    /** The state after the first phase of a ballot: the same if a higher ballot was promised. */
    public Decree promise(Timestamp ballot) {
        return ballot.isAfter(promised) ? new Decree(ballot, accepted, value) : this;
    }

    /** The state after the second phase of a ballot: the same if a higher ballot was promised. */
    public Decree accept(Timestamp ballot, String proposed) {
        return promised.isAfter(ballot) ? this : new Decree(ballot, ballot, proposed);
    }
}
