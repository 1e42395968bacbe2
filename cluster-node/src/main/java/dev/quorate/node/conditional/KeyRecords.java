package dev.quorate.node.conditional;

import dev.quorate.storage.Timestamp;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one replica has promised and accepted for one key: the acceptor of Paxos, with a decree for
 * each version that is to be succeeded, and one promise for all of them. Immutable: whoever holds
 * it makes a change durable before the answer is given.
 *
 * <p>It accepts what is to succeed a version only while its own entry is that version. An entry
 * never goes back, so a replica that accepted it has that entry or a later one for ever.
 */
public final class KeyRecords {

    /** Nothing was promised. */
    public static final KeyRecords NONE = new KeyRecords(Timestamp.ZERO, Map.of(), Map.of());

    /**
     * An answer, and what the replica holds with it.
     *
     * @param records what must be durable before the answer is given
     */
    public record Reply(KeyRecords records, Answer answer) {}

    private final Timestamp promised;
    private final Map<Timestamp, Accepted> decrees;

    /** By origin. */
    private final Map<Timestamp, Fate> fates;

    /**
     * The records that a replica holds, or those of them that a question is about.
     *
     * @param decrees what was accepted to succeed each version
     * @param fates by origin
     */
    public static KeyRecords of(
            Timestamp promised, Map<Timestamp, Accepted> decrees, Map<Timestamp, Fate> fates) {
        return new KeyRecords(promised, Map.copyOf(decrees), Map.copyOf(fates));
    }

    private KeyRecords(
            Timestamp promised, Map<Timestamp, Accepted> decrees, Map<Timestamp, Fate> fates) {
        this.promised = promised;
        this.decrees = decrees;
        this.fates = fates;
    }

    /** The ballot of the latest promise. */
    public Timestamp promised() {
        return promised;
    }

    /** What was accepted to succeed each version. */
    public Map<Timestamp, Accepted> decrees() {
        return decrees;
    }

    /** By origin. */
    public Map<Timestamp, Fate> fates() {
        return fates;
    }

    /** Answers a question; {@code entry} is the replica's. */
    public Reply answer(Question question, Current entry) {
        return switch (question) {
            case Question.Prepare(var ballot, var asked, var origin) ->
                    prepare(ballot, asked, origin, entry);
            case Question.Accept(var ballot, var base, var proposal) ->
                    accept(ballot, base, proposal, entry);
            case Question.Close(var ballot, var base, var proposal) ->
                    close(ballot, base, proposal, entry);
            case Question.Deny(var ballot, var origin) -> deny(ballot, origin);
        };
    }

    /**
     * Promises to accept nothing under an earlier ballot.
     *
     * @param asked versions to answer about, beside the entry's
     * @param origin of a write to answer about
     * @param entry the replica's, read after the promise of this key before was durable
     */
    public Reply prepare(Timestamp ballot, Set<Timestamp> asked, Timestamp origin, Current entry) {
        if (promised.isAfter(ballot)) {
            return new Reply(this, new Answer.Outbid(promised));
        }
        Map<Timestamp, Accepted> found = new HashMap<>();
        for (Timestamp version : asked) {
            Accepted accepted = decrees.get(version);
            if (accepted != null) {
                found.put(version, accepted);
            }
        }
        return new Reply(
                new KeyRecords(ballot, decrees, fates),
                new Answer.Promised(entry, decrees.get(entry.version()), found, fates.get(origin)));
    }

    /** Accepts what is to succeed a version, which must be that of the replica's entry. */
    public Reply accept(Timestamp ballot, Timestamp base, Proposal proposal, Current entry) {
        if (promised.isAfter(ballot)) {
            return new Reply(this, new Answer.Outbid(promised));
        }
        if (!entry.version().equals(base)) {
            return new Reply(this, new Answer.Moved(entry.version()));
        }
        return new Reply(with(ballot, base, proposal), Answer.Done.DONE);
    }

    /** Accepts who succeeded a version, or nobody, after the replica's entry has superseded it. */
    public Reply close(Timestamp ballot, Timestamp base, Proposal proposal, Current entry) {
        if (promised.isAfter(ballot)) {
            return new Reply(this, new Answer.Outbid(promised));
        }
        if (!entry.version().isAfter(base)) {
            return new Reply(this, new Answer.Moved(entry.version()));
        }
        return new Reply(with(ballot, base, proposal.withoutValue()), Answer.Done.DONE);
    }

    /** Accepts that a write whose condition names no version is never done. */
    public Reply deny(Timestamp ballot, Timestamp origin) {
        if (promised.isAfter(ballot)) {
            return new Reply(this, new Answer.Outbid(promised));
        }
        Map<Timestamp, Fate> next = new HashMap<>(fates);
        next.put(origin, new Fate(ballot, null));
        return new Reply(new KeyRecords(ballot, decrees, next), Answer.Done.DONE);
    }

    private KeyRecords with(Timestamp ballot, Timestamp base, Proposal proposal) {
        Map<Timestamp, Accepted> next = new HashMap<>(decrees);
        next.put(base, new Accepted(ballot, proposal));
        Map<Timestamp, Fate> nextFates = fates;
        if (!proposal.isNamed()) {
            nextFates = new HashMap<>(fates);
            nextFates.put(proposal.origin(), new Fate(ballot, base));
        }
        return new KeyRecords(ballot, next, nextFates);
    }

    /** What was accepted to succeed this entry and may be undecided; null for nothing. */
    public @Nullable Accepted pending(Current entry) {
        return decrees.get(entry.version());
    }

    /**
     * The records of a replica that has lost its own, from those of all others: the latest promise,
     * and of each decree the latest ballot. Only for one that does not vote, and only after the
     * longest time that an exchange takes.
     */
    public KeyRecords merged(KeyRecords other) {
        Map<Timestamp, Accepted> merged = new HashMap<>(decrees);
        other.decrees.forEach(
                (version, accepted) ->
                        merged.merge(
                                version,
                                accepted,
                                (a, b) -> a.ballot().isAfter(b.ballot()) ? a : b));
        Map<Timestamp, Fate> mergedFates = new HashMap<>(fates);
        other.fates.forEach(
                (origin, fate) ->
                        mergedFates.merge(
                                origin, fate, (a, b) -> a.ballot().isAfter(b.ballot()) ? a : b));
        return new KeyRecords(
                promised.isAfter(other.promised) ? promised : other.promised, merged, mergedFates);
    }
}
