package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One replica's promise and accepted proposals for one key: the acceptor of Paxos, with a decree
 * for each version to be succeeded, and one promise for all decrees. Immutable: the caller makes a
 * change durable before it gives the answer.
 *
 * <p>The replica accepts a proposal to succeed a version only while its entry has that version. An
 * entry never gets older, except that a tombstone or an expired value below the GC watermark is
 * dropped. So the replica notes superseded versions before it raises its watermark: {@link #noted}.
 *
 * @param promised the ballot of the latest promise
 * @param last the base of what was accepted last; null if it is known to be superseded
 * @param decrees accepted proposals, by base; must not change any more
 * @param fates fates of writes, by origin; must not change any more
 */
public record KeyRecords(
        Timestamp promised,
        @Nullable Timestamp last,
        Map<Timestamp, Accepted> decrees,
        Map<Timestamp, Fate> fates) {

    /** Nothing was promised. */
    public static final KeyRecords NONE = new KeyRecords(Timestamp.ZERO, null, Map.of(), Map.of());

    /**
     * An answer, and the changes that must be durable before it.
     *
     * @param records the records that must be durable before the answer is given
     * @param chosen the replica's new entry, which must be durable before the answer is given, but
     *     not before the records are; null for none
     */
    public record Reply(KeyRecords records, AcceptorAnswer answer, @Nullable Current chosen) {

        Reply(KeyRecords records, AcceptorAnswer answer) {
            this(records, answer, null);
        }
    }

    /**
     * Answers a question.
     *
     * @param entry the replica's
     * @param watermarkMillis the replica's GC watermark
     */
    public Reply answer(Question question, Current entry, long watermarkMillis) {
        return switch (question) {
            case Question.Prepare(var ballot, var asked, var origin) ->
                    prepare(ballot, asked, origin, entry, watermarkMillis);
            case Question.Accept(var ballot, var proposal, var decides) ->
                    accept(ballot, proposal, decides, entry);
            case Question.Close(var ballot, var base, var proposal) ->
                    close(ballot, base, proposal, entry);
            case Question.Deny(var ballot, var origin, var digest) -> deny(ballot, origin, digest);
        };
    }

    /**
     * Promises to accept nothing under an earlier ballot.
     *
     * @param asked versions to answer about, in addition to the entry's
     * @param origin the origin of a write to answer about
     * @param entry the replica's entry, read after the key's previous promise was durable
     * @param watermarkMillis the replica's GC watermark
     */
    public Reply prepare(
            Timestamp ballot,
            Set<Timestamp> asked,
            Timestamp origin,
            Current entry,
            long watermarkMillis) {
        if (promised.isAfter(ballot)) {
            return new Reply(this, new AcceptorAnswer.Outbid(promised));
        }
        Map<Timestamp, Accepted> found = new HashMap<>();
        for (Timestamp version : asked) {
            Accepted accepted = decrees.get(version);
            if (accepted != null) {
                found.put(version, accepted);
            }
        }
        return new Reply(
                new KeyRecords(ballot, last, decrees, fates),
                new AcceptorAnswer.Promised(
                        entry, watermarkMillis, pending(entry), found, fates.get(origin)));
    }

    /**
     * Accepts a proposal, which must follow the replica's entry.
     *
     * @param decides whether the proposal is chosen as soon as this replica accepts it
     */
    public Reply accept(Timestamp ballot, Proposal proposal, boolean decides, Current entry) {
        if (promised.isAfter(ballot)) {
            return new Reply(this, new AcceptorAnswer.Outbid(promised));
        }
        if (!proposal.follows(entry)) {
            // It may be the entry by now, or have been superseded since.
            return new Reply(
                    this,
                    hasAccepted(ballot, proposal)
                            ? AcceptorAnswer.Done.DONE
                            : new AcceptorAnswer.Moved(entry.version()));
        }
        Map<Timestamp, Accepted> next = new HashMap<>(decrees);
        Accepted accepted = new Accepted(ballot, decides ? proposal.confirmed() : proposal);
        // A firm base needs no note: until the entry supersedes it, it is looked up by its version.
        boolean isNoted = !decides || proposal.isBaseDroppable();
        Timestamp nextLast = isNoted ? proposal.base() : null;
        Accepted pending = pending(entry);
        if (pending != null && pending.proposal().comesAfter(proposal)) {
            // The replica lacks the entry that the proposal makes, but has a later proposal.
            nextLast = last;
        } else if (pending != null && !proposal.comesAfter(pending.proposal())) {
            // Perhaps another name of the same absence: it is the same decree.
            next.put(pending.proposal().base(), accepted);
        }
        next.put(proposal.base(), accepted);
        Map<Timestamp, Fate> nextFates = withFate(ballot, proposal.base(), proposal);
        return new Reply(
                new KeyRecords(ballot, nextLast, next, nextFates),
                AcceptorAnswer.Done.DONE,
                decides ? proposal.entry() : decidedBy(proposal, pending));
    }

    /**
     * The pending value, if a proposal succeeds it: only decided versions are succeeded. It becomes
     * the entry, because the records show only the last proposal that may come after the entry.
     */
    private static @Nullable Current decidedBy(Proposal successor, @Nullable Accepted pending) {
        return pending != null && successor.base().equals(pending.proposal().result())
                ? pending.proposal().entry()
                : null;
    }

    private boolean hasAccepted(Timestamp ballot, Proposal proposal) {
        Accepted accepted = decrees.get(proposal.base());
        return accepted != null
                && !accepted.isCopy()
                && accepted.ballot().equals(ballot)
                && Objects.equals(accepted.proposal().result(), proposal.result());
    }

    /** Accepts which write, if any, succeeded a version that the replica's entry has superseded. */
    public Reply close(Timestamp ballot, Timestamp base, Proposal proposal, Current entry) {
        if (promised.isAfter(ballot)) {
            return new Reply(this, new AcceptorAnswer.Outbid(promised));
        }
        boolean isSuperseded =
                entry.isNothing() ? !base.equals(last) : entry.version().isAfter(base);
        if (!isSuperseded) {
            return new Reply(this, new AcceptorAnswer.Moved(entry.version()));
        }
        Map<Timestamp, Accepted> next = new HashMap<>(decrees);
        next.put(base, new Accepted(ballot, proposal.withoutValue()));
        Map<Timestamp, Fate> nextFates = withFate(ballot, base, proposal);
        Timestamp stillLast = base.equals(last) ? null : last;
        return new Reply(
                new KeyRecords(ballot, stillLast, next, nextFates), AcceptorAnswer.Done.DONE);
    }

    /** Accepts that a write whose condition names no version is never done. */
    public Reply deny(Timestamp ballot, Timestamp origin, long digest) {
        if (promised.isAfter(ballot)) {
            return new Reply(this, new AcceptorAnswer.Outbid(promised));
        }
        Map<Timestamp, Fate> next = new HashMap<>(fates);
        next.put(origin, new Fate(ballot, null, digest));
        return new Reply(new KeyRecords(ballot, last, decrees, next), AcceptorAnswer.Done.DONE);
    }

    private Map<Timestamp, Fate> withFate(Timestamp ballot, Timestamp base, Proposal proposal) {
        if (!proposal.keepsFate()) {
            return fates;
        }
        Map<Timestamp, Fate> next = new HashMap<>(fates);
        next.put(proposal.origin(), new Fate(ballot, base, proposal.digest()));
        return next;
    }

    /** The proposal accepted to succeed this entry that may be undecided; null for none. */
    public @Nullable Accepted pending(Current entry) {
        Accepted exact = decrees.get(entry.version());
        if (exact != null && !exact.proposal().isBaseDroppable() && mayCome(exact, entry)) {
            return exact;
        }
        Accepted accepted = last == null ? null : decrees.get(last);
        return accepted != null && mayCome(accepted, entry) ? accepted : null;
    }

    private static boolean mayCome(Accepted accepted, Current entry) {
        Proposal proposal = accepted.proposal();
        return proposal.entry() != null && proposal.follows(entry);
    }

    /**
     * These records, noting whether the entry has superseded the proposal accepted last. They must
     * be durable before the watermark is raised: the entry may be a tombstone, and be dropped then.
     */
    public KeyRecords noted(Current entry) {
        return last == null || pending(entry) != null
                ? this
                : new KeyRecords(promised, null, decrees, fates);
    }

    /**
     * These records without those older than the GC watermark, and with a promise to accept nothing
     * that old. An undecided value that old never becomes an entry: no replica accepts it any more,
     * and all replicas have the values that were entries then.
     */
    public KeyRecords since(long watermarkMillis) {
        if (isAllSince(watermarkMillis)) {
            return this;
        }
        Map<Timestamp, Accepted> younger = new HashMap<>(decrees);
        younger.values().removeIf(accepted -> isOlder(accepted, watermarkMillis));
        younger.replaceAll(
                (base, accepted) ->
                        isResultOlder(accepted, watermarkMillis)
                                ? accepted.withoutValue()
                                : accepted);
        Map<Timestamp, Fate> youngerFates = new HashMap<>(fates);
        youngerFates
                .entrySet()
                .removeIf(fate -> isOlder(fate.getKey(), fate.getValue(), watermarkMillis));
        Timestamp watermark = Timestamp.of(watermarkMillis, 0, 0);
        return new KeyRecords(
                promised.isAfter(watermark) ? promised : watermark,
                last != null && younger.containsKey(last) ? last : null,
                younger,
                youngerFates);
    }

    private boolean isAllSince(long watermarkMillis) {
        return promised.wallMillis() > watermarkMillis
                && (last == null || decrees.containsKey(last))
                && decrees.values().stream()
                        .noneMatch(accepted -> isResultOlder(accepted, watermarkMillis))
                && fates.entrySet().stream()
                        .noneMatch(
                                fate -> isOlder(fate.getKey(), fate.getValue(), watermarkMillis));
    }

    /** In the lead, the ballot is older than the write. */
    private static boolean isOlder(Timestamp origin, Fate fate, long watermarkMillis) {
        return origin.wallMillis() < watermarkMillis
                && fate.ballot().wallMillis() < watermarkMillis;
    }

    private static boolean isOlder(Accepted accepted, long watermarkMillis) {
        return accepted.ballot().wallMillis() < watermarkMillis
                && isResultOlder(accepted, watermarkMillis);
    }

    private static boolean isResultOlder(Accepted accepted, long watermarkMillis) {
        Timestamp result = accepted.proposal().result();
        return result == null || result.wallMillis() < watermarkMillis;
    }
}
