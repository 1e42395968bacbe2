package dev.quorate.testkit.conditional;

import dev.quorate.router.conditional.Accepted;
import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.ConditionalStep;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.KeyRecords;
import dev.quorate.router.conditional.MergedRecords;
import dev.quorate.router.conditional.Proposal;
import dev.quorate.router.conditional.Question;
import dev.quorate.storage.Timestamp;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One node: a replica of the key, and the clock of a coordinator. */
final class SimulatedReplica {

    /** Four readings to a millisecond. */
    static final long TICK = 1 << 14;

    /** The answer to a read. */
    record Held(Current entry, @Nullable Accepted pending) {}

    final int number;
    private final Mistake mistake;
    private final Random random;
    private Current entry = Current.NOTHING;
    private KeyRecords records = KeyRecords.NONE;

    /** What a crash leaves of {@link #records}: all of it, without a mistake. */
    private KeyRecords durable = KeyRecords.NONE;

    /** Every entry that it ever had. */
    private final Map<Timestamp, Current> history = new HashMap<>();

    /** By base: what was accepted under this very name. For a mistake. */
    private final Map<Timestamp, Accepted> byName = new HashMap<>();

    /** Below it, tombstones and expired values may be gone. */
    private long watermarkMillis;

    /** Below it, nothing new is taken. */
    private long oldestMillis;

    private long clock;
    boolean isDown;

    /** The epoch that it knows: it takes messages of this one alone. Durable. */
    int epoch;

    /** How often it has deleted what was left of a key that it no longer owned. */
    int cleanings;

    SimulatedReplica(int number, Mistake mistake, Random random, int ticks) {
        this.random = random;
        this.number = number;
        this.mistake = mistake;
        this.clock = ticks * TICK;
    }

    // ---- The clock.

    Timestamp next() {
        clock += TICK;
        return new Timestamp(clock, number + 1);
    }

    void observe(long reading) {
        clock = Math.max(clock, reading);
    }

    long reading() {
        return clock;
    }

    long wallMillis() {
        return clock >>> 16;
    }

    void passes(int ticks) {
        clock += ticks * TICK;
    }

    void learns(int other) {
        epoch = Math.max(epoch, other);
    }

    // ---- The replica.

    Current entry() {
        return entry;
    }

    /** What was accepted to succeed the entry; null for nothing. */
    @Nullable Accepted pending() {
        return records.pending(entry);
    }

    Held read() {
        boolean isCollected = entry.value() == null && isBelowWatermark();
        return new Held(isCollected ? Current.NOTHING : entry, pending());
    }

    /** Takes a copy of what another replica has, or a chosen value. */
    AcceptorAnswer store(Current written) {
        if (written.version().isAfter(entry.version())) {
            entry = written;
            history.put(entry.version(), entry);
        }
        return AcceptorAnswer.Done.DONE;
    }

    /** Takes a client's plain write. */
    AcceptorAnswer write(Current written) {
        boolean isTooOld = written.version().wallMillis() < oldestMillis;
        return isTooOld && mistake != Mistake.TAKES_LATE_WRITES
                ? AcceptorAnswer.Failed.FAILED
                : store(written);
    }

    AcceptorAnswer ask(ConditionalStep step) {
        return switch (step) {
            case ConditionalStep.Ask(Question.Prepare(Timestamp ballot, var asked, var origin)) ->
                    isTooOld(ballot) ? tooOld() : prepare(ballot, asked, origin);
            case ConditionalStep.Accept accept ->
                    isTooOld(accept.ballot()) || isValueTooOld(accept.proposal())
                            ? tooOld()
                            : accept(accept);
            case ConditionalStep.Ask(Question.Close(var ballot, var base, var proposal)) ->
                    isTooOld(ballot)
                            ? tooOld()
                            : keep(records.close(ballot, base, proposal, entry));
            case ConditionalStep.Ask(Question.Deny(var ballot, var origin, var digest)) ->
                    isTooOld(ballot) ? tooOld() : keep(records.deny(ballot, origin, digest));
            case ConditionalStep.Store(Current written) -> store(written);
            case ConditionalStep.Ask(Question.Accept _),
                    ConditionalStep.Wait _,
                    ConditionalStep.Stamp _,
                    ConditionalStep.Retry _,
                    ConditionalStep.Answer _ ->
                    throw new IllegalArgumentException(step + " is for the coordinator");
        };
    }

    private boolean isTooOld(Timestamp ballot) {
        return ballot.wallMillis() < oldestMillis;
    }

    private boolean isValueTooOld(Proposal proposal) {
        Timestamp result = proposal.result();
        return result != null
                && result.wallMillis() < oldestMillis
                && mistake != Mistake.ACCEPTS_OLD_VALUES;
    }

    private AcceptorAnswer tooOld() {
        return new AcceptorAnswer.Outbid(Timestamp.of(oldestMillis, 0, 0));
    }

    private AcceptorAnswer prepare(Timestamp ballot, Set<Timestamp> asked, Timestamp origin) {
        KeyRecords.Reply reply = records.prepare(ballot, asked, origin, entry, watermarkMillis);
        records = reply.records();
        if (mistake != Mistake.PROMISES_IN_MEMORY) {
            durable = records;
        }
        return reply.answer() instanceof AcceptorAnswer.Promised promised
                ? mistaken(promised, asked)
                : reply.answer();
    }

    private AcceptorAnswer accept(ConditionalStep.Accept step) {
        Proposal proposal = step.proposal();
        boolean looksAway =
                mistake == Mistake.ACCEPTS_OVER_A_NEWER_ENTRY
                        && history.containsKey(proposal.base());
        Current base = looksAway ? history.get(proposal.base()) : entry;
        KeyRecords.Reply reply = records.accept(step.ballot(), proposal, step.decides(), base);
        if (reply.answer() == AcceptorAnswer.Done.DONE) {
            byName.put(proposal.base(), new Accepted(step.ballot(), proposal));
        }
        AcceptorAnswer answer = keep(reply);
        if (reply.chosen() == null) {
            return answer;
        }
        // A crash between the two leaves the record.
        return random.nextInt(10) == 0 ? AcceptorAnswer.Failed.FAILED : store(reply.chosen());
    }

    private AcceptorAnswer keep(KeyRecords.Reply reply) {
        records = reply.records();
        durable = records;
        return reply.answer();
    }

    private AcceptorAnswer.Promised mistaken(
            AcceptorAnswer.Promised promised, Set<Timestamp> asked) {
        Current shown = promised.entry();
        long watermark = promised.watermarkMillis();
        Accepted pending = promised.pending();
        Map<Timestamp, Accepted> found = new HashMap<>(promised.asked());
        switch (mistake) {
            case IGNORES_WHAT_WAS_ACCEPTED -> pending = null;
            case FORGETS_WHO_SUCCEEDED -> found.clear();
            case SUCCEEDS_NOTHING_WITHOUT_A_ROOT -> watermark = 0;
            case RETRIES_AFTER_RECORDS_WERE_DROPPED ->
                    watermark = shown.isNothing() ? watermark : 0;
            case TELLS_A_TOMBSTONE_FROM_NOTHING -> {
                Timestamp base = pending == null ? null : pending.proposal().base();
                boolean isExact =
                        shown.isNothing()
                                ? base != null && base.node() == 0
                                : shown.version().equals(base);
                pending = isExact ? pending : null;
            }
            case COUNTS_ONE_ACCEPTOR -> found.replaceAll((_, a) -> withFirmBase(a));
            case KEEPS_WHAT_WAS_REPLACED -> {
                found.keySet().retainAll(asked);
                found.replaceAll((base, a) -> byName.getOrDefault(base, a));
            }
            default -> {}
        }
        return new AcceptorAnswer.Promised(shown, watermark, pending, found, promised.fate());
    }

    private static Accepted withFirmBase(Accepted accepted) {
        Proposal p = accepted.proposal();
        return new Accepted(
                accepted.ballot(),
                new Proposal(
                        p.origin(),
                        p.isNamed(),
                        p.base(),
                        false,
                        p.isInLead(),
                        p.result(),
                        p.entry(),
                        p.digest()),
                accepted.isCopy());
    }

    // ---- The GC watermark.

    /** The newest entry from before a moment that it ever had. */
    Current newestBefore(long millis) {
        Current newest = Current.NOTHING;
        for (Current had : history.values()) {
            if (had.version().wallMillis() < millis && had.version().isAfter(newest.version())) {
                newest = had;
            }
        }
        return newest;
    }

    /** All replicas have everything from before this moment: nothing as old is taken any more. */
    void settled(long millis) {
        oldestMillis = millis;
    }

    void raiseWatermark(long millis) {
        if (millis > watermarkMillis) {
            if (mistake != Mistake.FORGETS_WHAT_WAS_SUPERSEDED) {
                records = records.noted(entry);
                durable = records;
            }
            watermarkMillis = millis;
        }
    }

    long watermarkMillis() {
        return watermarkMillis;
    }

    private boolean isBelowWatermark() {
        return entry.version().wallMillis() < watermarkMillis;
    }

    /** Compacts: a tombstone and an expired value go. */
    void dropEntry() {
        if (isBelowWatermark() && entry.asOf(wallMillis()).value() == null) {
            entry = Current.NOTHING;
        }
    }

    /** Compacts: old records go, and values that a later acceptance shows to be superseded. */
    void dropRecords() {
        records = withoutSupersededValues(records.since(watermarkMillis));
        durable = records;
    }

    private static KeyRecords withoutSupersededValues(KeyRecords records) {
        Map<Timestamp, Accepted> decrees = new HashMap<>(records.decrees());
        decrees.replaceAll(
                (base, accepted) -> {
                    boolean isSuperseded =
                            records.decrees().entrySet().stream()
                                    .anyMatch(
                                            other ->
                                                    other.getKey().isAfter(base)
                                                            && isFirm(other.getValue())
                                                            && !other.getValue().isCopy());
                    return isSuperseded && isFirm(accepted) ? accepted.withoutValue() : accepted;
                });
        return new KeyRecords(records.promised(), records.last(), decrees, records.fates());
    }

    private static boolean isFirm(Accepted accepted) {
        return !accepted.proposal().isBaseDroppable() && accepted.proposal().entry() != null;
    }

    // ---- Faults.

    void crash() {
        records = durable;
    }

    /** Gets what a replica that has lost its disk gets from every other one. */
    void rebuild(List<SimulatedReplica> others) {
        entry = Current.NOTHING;
        records = KeyRecords.NONE;
        history.clear();
        watermarkMillis = 0;
        for (SimulatedReplica other : others) {
            store(other.entry);
            if (mistake != Mistake.REBUILDS_WITHOUT_RECORDS) {
                records = MergedRecords.of(records, other.records);
            }
            if (mistake != Mistake.REBUILDS_WITHOUT_A_WATERMARK) {
                watermarkMillis = Math.max(watermarkMillis, other.watermarkMillis);
            }
        }
        records = records.noted(entry);
        durable = records;
    }

    // ---- Changes of the owners.

    /** Is to gain the key: deletes what is left of it, and learns the GC watermark. */
    void clean(List<SimulatedReplica> owners) {
        cleanings++;
        entry = Current.NOTHING;
        records = KeyRecords.NONE;
        durable = records;
        history.clear();
        byName.clear();
        for (SimulatedReplica owner : owners) {
            watermarkMillis = Math.max(watermarkMillis, owner.watermarkMillis);
            oldestMillis = Math.max(oldestMillis, owner.oldestMillis);
        }
    }

    /** Reads what another owner has now; the result gives it to this one. */
    Runnable copyOf(SimulatedReplica other) {
        Current copied = other.entry;
        KeyRecords theirs = other.records;
        long theirWatermark = other.watermarkMillis;
        return () -> {
            store(copied);
            if (mistake != Mistake.GAINS_WITHOUT_RECORDS) {
                records = copies(records, theirs).noted(entry);
                durable = records;
            }
            // Tombstones below it may be gone, and not be among what was copied.
            raiseWatermark(theirWatermark);
        };
    }

    /** Keeps the later ballot of each decree. This replica's own acceptance is not a copy. */
    private KeyRecords copies(KeyRecords own, KeyRecords theirs) {
        KeyRecords merged = MergedRecords.of(own, theirs);
        Map<Timestamp, Accepted> decrees = new HashMap<>(merged.decrees());
        decrees.replaceAll(
                (base, accepted) -> {
                    Accepted mine = own.decrees().get(base);
                    boolean isMine = mine != null && mine.ballot().equals(accepted.ballot());
                    return isMine
                            ? mine
                            : mistake == Mistake.COUNTS_COPIES
                                    ? new Accepted(accepted.ballot(), accepted.proposal())
                                    : accepted;
                });
        return new KeyRecords(merged.promised(), merged.last(), decrees, merged.fates());
    }

    /** Sends its entry to another replica, as a repair or a comparison does. */
    void copyTo(SimulatedReplica other) {
        Accepted pending = pending();
        Current undecided = pending == null ? null : pending.proposal().entry();
        boolean isUndecided = mistake == Mistake.COPIES_UNDECIDED_VALUES && undecided != null;
        other.store(isUndecided ? undecided : entry);
    }
}
