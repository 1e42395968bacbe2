package dev.quorate.node.antientropy;

import dev.quorate.node.antientropy.Comparison.Difference;
import dev.quorate.node.antientropy.PeerRepairStatus.Phase;
import dev.quorate.node.membership.MemberProgress;
import dev.quorate.router.background.Backoff;
import dev.quorate.router.background.Job;
import dev.quorate.router.background.Step;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One repair with one peer: sends the requests of its {@link Comparison}, and pushes and pulls the
 * entries that differ. A few exchanges are in progress at a time. A temporary failure is retried, a
 * few times in a row.
 */
final class PeerRepair implements Job<PeerRepair.Exchange> {

    static final int TRIES = 4;
    static final Duration BETWEEN_TRIES = Duration.ofMillis(500);

    private static final int MAX_COMPARES = 16;
    private static final int MAX_TRANSFERS = 64;
    private static final long MAX_TRANSFER_BYTES = 1 << 20;

    /** When this many keys differ, they are transferred before the comparison continues. */
    private static final int MANY_DIFFERENCES = 1_024;

    sealed interface Exchange {

        /** The members exchange their states. */
        enum Introduction implements Exchange {
            INTRODUCTION
        }

        record Compared(Comparison.Question question) implements Exchange {}

        /** The peer is sent an entry. */
        record Pushed(Difference difference, Entry entry) implements Exchange {}

        /** The peer is asked for its entry. */
        record Pulled(Difference difference) implements Exchange {}

        /** The peer's entry is written here. */
        record Taken(Difference difference, Entry entry) implements Exchange {}
    }

    private final int self;
    private final Replica peer;
    private final CommonOwnership ownership;
    private final MemberProgress progress;
    private final RangeReader reader;
    private final Comparison comparison;
    private final Backoff backoff = new Backoff(BETWEEN_TRIES, BETWEEN_TRIES);

    /** The start of this repair, on the slower of both clocks once both are known. */
    private long startedMillis;

    /** Whether the peer has sent its state, so that the comparison can begin. */
    private boolean introduced;

    private int compares;

    /** Whether ranges are being compared: many at once, then none until all are answered. */
    private boolean comparing;

    /** Steps that follow from an answer. They precede all others. */
    private final Deque<Step<Exchange>> due = new ArrayDeque<>();

    private int transfers;
    private long transferBytes;

    private Phase phase = Phase.RUNNING;
    private String detail = "";
    private long differing;
    private long pushed;
    private long pulled;
    private long refused;
    private long unreadableKeys;

    /**
     * @param self this member's number
     * @param startedMillis the current time of this node's clock, in milliseconds since 1970
     */
    PeerRepair(
            int self,
            Replica peer,
            CommonOwnership ownership,
            MemberProgress progress,
            RangeReader reader,
            Comparison comparison,
            long startedMillis) {
        this.self = self;
        this.peer = peer;
        this.ownership = ownership;
        this.progress = progress;
        this.reader = reader;
        this.comparison = comparison;
        this.startedMillis = startedMillis;
    }

    @Override
    public Step<Exchange> next() {
        try {
            return phase == Phase.RUNNING ? nextStep() : new Step.End<>();
        } catch (StorageException e) {
            return storeFailed(e);
        }
    }

    private Step<Exchange> storeFailed(StorageException e) {
        end(Phase.FAILED, "this node's store: " + e.getMessage());
        return new Step.End<>();
    }

    private Step<Exchange> nextStep() {
        if (backoff.isDue()) {
            return new Step.Pause<>(backoff.take());
        }
        if (!introduced) {
            return introduction();
        }
        Step<Exchange> step = due.poll();
        if (step == null) {
            step = nextTransfer();
        }
        if (step == null) {
            step = nextCompare();
        }
        if (step != null) {
            return step;
        }
        if (compares == 0
                && transfers == 0
                && comparison.isOver()
                && comparison.differences().isEmpty()) {
            endWell();
            return new Step.End<>();
        }
        return new Step.Await<>();
    }

    private Step<Exchange> introduction() {
        if (compares > 0) {
            return new Step.Await<>();
        }
        compares++;
        return new Step.Ask<>(
                Exchange.Introduction.INTRODUCTION,
                peer,
                new ReplicaRequest.Announce(self, progress.stateFor(peer.member().number())));
    }

    private @Nullable Step<Exchange> nextCompare() {
        comparing |= compares == 0;
        if (!comparing || comparison.differences().size() >= MANY_DIFFERENCES) {
            return null;
        }
        Comparison.Question question = compares < MAX_COMPARES ? comparison.next() : null;
        if (question == null) {
            comparing = false;
            return null;
        }
        compares++;
        return new Step.Ask<>(new Exchange.Compared(question), peer, question.compare());
    }

    private @Nullable Step<Exchange> nextTransfer() {
        while (mayTransfer()) {
            Difference difference = comparison.differences().poll();
            if (difference == null) {
                return null;
            }
            Step<Exchange> step = transfer(difference);
            if (step != null) {
                return step;
            }
        }
        return null;
    }

    /** Between two answers only if many entries are due, or each entry would travel alone. */
    private boolean mayTransfer() {
        return transfers < MAX_TRANSFERS
                && transferBytes < MAX_TRANSFER_BYTES
                && (compares == 0 || comparison.differences().size() >= MAX_TRANSFERS);
    }

    private @Nullable Step<Exchange> transfer(Difference difference) {
        Entry mine;
        try {
            mine = reader.lookup(difference.key());
        } catch (CorruptionException e) {
            unreadableKeys++;
            return null;
        }
        Transfer transfer = Transfer.of(mine, difference.theirs(), ownership);
        if (transfer == Transfer.NOTHING) {
            return null;
        }
        differing++;
        return mine != null && transfer == Transfer.PUSH
                ? push(difference, mine)
                : pull(difference);
    }

    // Each of these begins a transfer, which ends with its exchange.

    private Step<Exchange> push(Difference difference, Entry entry) {
        begin(entry.dataBytes());
        return new Step.Ask<>(
                new Exchange.Pushed(difference, entry), peer, ReplicaRequest.Write.copyOf(entry));
    }

    private Step<Exchange> pull(Difference difference) {
        begin(0);
        return new Step.Ask<>(
                new Exchange.Pulled(difference), peer, new ReplicaRequest.Read(difference.key()));
    }

    private Step<Exchange> take(Difference difference, Entry entry) {
        begin(entry.dataBytes());
        return new Step.Write<>(new Exchange.Taken(difference, entry), List.of(entry));
    }

    private void begin(long bytes) {
        transfers++;
        transferBytes += bytes;
    }

    private void finish(long bytes) {
        transfers--;
        transferBytes -= bytes;
    }

    @Override
    public void answered(Exchange exchange, ReplicaAnswer answer) {
        try {
            switch (exchange) {
                case Exchange.Introduction introduction -> introduced(answer);
                case Exchange.Compared compared -> compared(compared.question(), answer);
                case Exchange.Pushed(Difference difference, Entry entry) ->
                        pushed(difference, entry, answer);
                case Exchange.Pulled(Difference difference) -> pulled(difference, answer);
                case Exchange.Taken taken ->
                        throw new IllegalStateException("no replica was asked");
            }
        } catch (StorageException e) {
            var _ = storeFailed(e);
        }
    }

    /**
     * Handles the peer's state. Entries stamped before both clocks' present have reached the peer
     * by now, or arrive late.
     */
    private void introduced(ReplicaAnswer answer) {
        compares--;
        switch (answer) {
            case ReplicaAnswer.Announced(MemberState theirs) -> {
                introduced = true;
                backoff.succeeded();
                progress.onState(peer.member().number(), theirs);
                startedMillis = Math.min(startedMillis, theirs.wallMillis());
                reader.ignoreTombstonesBefore(
                        Math.max(progress.gcWatermarkMillis(), theirs.gcWatermarkMillis()));
                comparison.begin();
            }
            case ReplicaAnswer other -> failed(other.failure());
        }
    }

    private void compared(Comparison.Question question, ReplicaAnswer answer) {
        compares--;
        switch (answer) {
            case ReplicaAnswer.Compared range -> {
                backoff.succeeded();
                comparison.answered(question, range.range());
            }
            case ReplicaAnswer other -> {
                Failed failed = other.failure();
                if (failed.reason() == Failure.CORRUPT) {
                    comparison.failedToRead(question);
                } else {
                    comparison.unanswered(question);
                    failed(failed);
                }
            }
        }
    }

    private void pushed(Difference difference, Entry entry, ReplicaAnswer answer) {
        finish(entry.dataBytes());
        switch (answer) {
            case ReplicaAnswer.Stored stored -> {
                backoff.succeeded();
                pushed++;
                if (stored.newest().isAfter(entry.timestamp())) {
                    // The peer's entry is newer: just written, or not owned by both.
                    due.add(pull(difference));
                }
            }
            case ReplicaAnswer other -> notDone(difference, other.failure());
        }
    }

    private void pulled(Difference difference, ReplicaAnswer answer) {
        finish(0);
        switch (answer) {
            case ReplicaAnswer.Found found -> {
                backoff.succeeded();
                received(difference, found.entry());
            }
            case ReplicaAnswer.Absent absent -> backoff.succeeded();
            case ReplicaAnswer other -> {
                Failed failed = other.failure();
                if (failed.reason() == Failure.CORRUPT) {
                    unreadableKeys++;
                } else {
                    notDone(difference, failed);
                }
            }
        }
    }

    private void received(Difference difference, Entry theirs) {
        Entry mine = reader.lookup(difference.key());
        if (Transfer.takes(mine, theirs, ownership)) {
            due.add(take(difference, theirs));
        } else if (mine != null && Transfer.gives(mine, theirs)) {
            due.add(push(difference, mine));
        }
    }

    @Override
    public void wrote(Exchange exchange, @Nullable Failed failure) {
        Exchange.Taken taken = (Exchange.Taken) exchange;
        finish(taken.entry().dataBytes());
        if (failure == null) {
            pulled++;
        } else {
            notDone(taken.difference(), failure);
        }
    }

    /** An entry was not sent or not stored. If its timestamp was refused, it is not retried. */
    private void notDone(Difference difference, Failed failed) {
        boolean peerAnswers = backoff.failuresInARow() == 0;
        if (failed.reason() == Failure.REFUSED && !failed.detail().isEmpty() && peerAnswers) {
            refused++; // the entry only; the repair continues
        } else {
            differing--;
            comparison.differences().addFirst(difference);
            failed(failed);
        }
    }

    /** Counts a temporary failure. */
    private void failed(Failed failure) {
        backoff.failed();
        if (backoff.failuresInARow() >= TRIES) {
            end(Phase.FAILED, failure.reason() + ": " + failure.detail());
        }
    }

    private void endWell() {
        if (unreadable() > 0) {
            end(Phase.INCOMPLETE, unreadable() + " ranges cannot be read");
        } else if (refused > 0) {
            end(Phase.INCOMPLETE, refused + " entries were not taken");
        } else {
            end(Phase.AGREED, "");
        }
    }

    private void end(Phase how, String why) {
        if (phase == Phase.RUNNING) {
            phase = how;
            detail = why;
        }
    }

    /** Ends as failed: the keys that both own are no longer those that were compared. */
    void endWithItsEpoch() {
        phase = Phase.FAILED;
        detail = "the owners of keys have changed";
    }

    /** Ends the part of this repair in the walk of its round. */
    void leave() {
        comparison.end();
    }

    /** Ends as failed, because of a bug. */
    void failed(RuntimeException bug) {
        end(Phase.FAILED, bug.toString());
    }

    @Override
    public long bytesRead() {
        return reader.bytesRead();
    }

    /** The start of this repair, in milliseconds since 1970 on the slower of both clocks. */
    long startedMillis() {
        return startedMillis;
    }

    /**
     * The status of this repair.
     *
     * @param before the status of the last repair with this peer
     * @param bytes the bytes of its messages so far
     * @param nanos the nanoseconds since it began
     */
    PeerRepairStatus status(PeerRepairStatus before, long bytes, long nanos) {
        return new PeerRepairStatus(
                peer.member().name(),
                phase,
                detail,
                comparison.compared(),
                differing,
                pushed,
                pulled,
                refused,
                unreadable(),
                bytes,
                nanos,
                phase == Phase.AGREED ? startedMillis : before.completeSince(),
                0,
                new PeerRepairStatus.Totals(
                        before.total().pushed() + pushed,
                        before.total().pulled() + pulled,
                        before.total().bytes() + bytes));
    }

    private long unreadable() {
        return comparison.unreadable() + unreadableKeys;
    }
}
