package dev.quorate.testkit.conditional;

import dev.quorate.node.conditional.Accepted;
import dev.quorate.node.conditional.Answer;
import dev.quorate.node.conditional.ConditionalRound.Step;
import dev.quorate.node.conditional.Current;
import dev.quorate.node.conditional.KeyRecords;
import dev.quorate.storage.Timestamp;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One node: a replica of the key, and the clock of a coordinator. */
final class SimulatedReplica {

    /** The answer to a read. */
    record Held(Current entry, @Nullable Accepted pending) {}

    final int number;
    private final Mistake mistake;
    private Current entry = Current.NOTHING;
    private KeyRecords records = KeyRecords.NONE;

    /** What a crash leaves of {@link #records}: all of it, without a mistake. */
    private KeyRecords durable = KeyRecords.NONE;

    private long clock;
    boolean isDown;

    SimulatedReplica(int number, Mistake mistake, long clock) {
        this.number = number;
        this.mistake = mistake;
        this.clock = clock;
    }

    // ---- The clock.

    Timestamp next() {
        return new Timestamp(++clock, number + 1);
    }

    void observe(long reading) {
        clock = Math.max(clock, reading);
    }

    long reading() {
        return clock;
    }

    void passes(long ticks) {
        clock += ticks;
    }

    // ---- The replica.

    Current entry() {
        return entry;
    }

    KeyRecords records() {
        return records;
    }

    Held read() {
        return new Held(entry, records.pending(entry));
    }

    Answer store(Current written) {
        if (written.version().isAfter(entry.version())) {
            entry = written;
        }
        return Answer.Done.DONE;
    }

    Answer ask(Step step) {
        return switch (step) {
            case Step.Prepare(Timestamp ballot, var asked, var origin) -> {
                boolean forgets = mistake == Mistake.FORGETS_WHO_SUCCEEDED;
                KeyRecords.Reply reply =
                        records.prepare(ballot, forgets ? Set.of() : asked, origin, entry);
                records = reply.records();
                if (mistake != Mistake.PROMISES_IN_MEMORY) {
                    durable = records;
                }
                yield reply.answer() instanceof Answer.Promised promised
                                && mistake == Mistake.IGNORES_WHAT_WAS_ACCEPTED
                        ? new Answer.Promised(
                                promised.entry(), null, promised.asked(), promised.fate())
                        : reply.answer();
            }
            case Step.Accept(var ballot, var base, var proposal) -> {
                store(base);
                boolean looksAway = mistake == Mistake.ACCEPTS_OVER_A_NEWER_ENTRY;
                Current now = looksAway ? base : entry;
                yield keep(records.accept(ballot, base.version(), proposal, now));
            }
            case Step.Close(var ballot, var base, var proposal) ->
                    keep(records.close(ballot, base, proposal, entry));
            case Step.Deny(var ballot, var origin) -> keep(records.deny(ballot, origin));
            case Step.Store(Current written) -> store(written);
            case Step.Wait _, Step.Stamp _, Step.Retry _, Step.Answer _ ->
                    throw new IllegalArgumentException(step + " is for the coordinator");
        };
    }

    private Answer keep(KeyRecords.Reply reply) {
        records = reply.records();
        durable = records;
        return reply.answer();
    }

    // ---- Faults.

    void crash() {
        records = durable;
    }

    /** Gets what a replica that has lost its disk gets from every other one. */
    void rebuild(List<SimulatedReplica> others) {
        entry = Current.NOTHING;
        records = KeyRecords.NONE;
        for (SimulatedReplica other : others) {
            store(other.entry);
            if (mistake != Mistake.REBUILDS_WITHOUT_RECORDS) {
                records = records.merged(other.records);
            }
        }
        durable = records;
    }

    /** Sends its entry to another replica, as a hint, a repair or a comparison does. */
    void copyTo(SimulatedReplica other) {
        Accepted pending = records.pending(entry);
        Current undecided = pending == null ? null : pending.proposal().entry();
        boolean isUndecided = mistake == Mistake.COPIES_UNDECIDED_VALUES && undecided != null;
        other.store(isUndecided ? undecided : entry);
    }
}
