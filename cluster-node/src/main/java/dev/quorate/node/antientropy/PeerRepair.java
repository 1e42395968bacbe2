package dev.quorate.node.antientropy;

import dev.quorate.node.antientropy.PeerRepairStatus.Phase;
import dev.quorate.node.clock.Scheduler;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.message.MemberState;
import dev.quorate.node.message.PeerCodec;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One repair with one peer, from beginning to end: asks what {@link Comparison} says, and sends and
 * fetches what it finds. A few requests are under way at a time, and no more bytes a second than
 * its {@link Pace} allows. What fails for the moment is tried again, a few times in a row.
 *
 * <p>Everything happens in tasks of one {@link Serial}, which may wait for the disk.
 */
final class PeerRepair {

    private static final int MAX_ASKED = 16;
    private static final int MAX_TRANSFERS = 64;
    private static final long MAX_TRANSFER_BYTES = 1 << 20;

    /** Beyond so many keys that differ, those are seen to before more are looked for. */
    private static final int MANY_DIFFERENCES = 1_024;

    /** Longer than a client would wait, because nobody waits. */
    static final Duration DEADLINE = Duration.ofSeconds(5);

    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);
    private static final int TRIES = 4;

    private final KeyValueStore store;
    private final Replica local;
    private final Replica peer;
    private final CommonOwnership shared;
    private final RangeReader reader;
    private final Comparison comparison;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Executor serial;
    private final Pace pace;
    private final Consumer<PeerRepair> ended;
    private final MemberProgress progress;
    private final long startedNanos;

    /** On the slower of both clocks, from when on both are known. */
    private long startedMillis;

    private final PeerRepairStatus before;

    /** Whether the peer has said how it is, so that the comparison can begin. */
    private boolean introduced;

    private int asked;

    /** Whether questions are being sent: many at once, and then none until all are answered. */
    private boolean asking;

    private int transfers;
    private long transferBytes;
    private long bytesPaced;
    private int failuresInARow;
    private boolean waiting;
    private boolean over;

    private Phase phase = Phase.RUNNING;
    private String detail = "";
    private long differing;
    private long pushed;
    private long pulled;
    private long refused;
    private long unreadableKeys;
    private long bytes;

    /** How it goes, for whoever asks. */
    private volatile PeerRepairStatus published;

    /**
     * What a repair needs of the node.
     *
     * @param serial where it may wait for the disk, one thing after the other
     */
    record Surroundings(
            KeyValueStore store,
            Replica local,
            MemberProgress progress,
            Ticker ticker,
            Scheduler scheduler,
            Executor serial) {}

    /**
     * @param bytesPerSecond the most that it reads and sends; 0 for no limit
     * @param before how the last one with this peer went
     * @param ended told, in a task of {@code serial}, when it has ended
     */
    PeerRepair(
            Surroundings node,
            Replica peer,
            CommonOwnership shared,
            int salt,
            long bytesPerSecond,
            PeerRepairStatus before,
            Consumer<PeerRepair> ended) {
        this.store = node.store();
        this.local = node.local();
        this.peer = peer;
        this.shared = shared;
        this.ticker = node.ticker();
        this.scheduler = node.scheduler();
        this.serial = node.serial();
        this.startedNanos = ticker.nanos();
        this.startedMillis = ticker.wallMillis();
        this.before = before;
        this.progress = node.progress();
        this.pace = new Pace(bytesPerSecond, startedNanos);
        this.reader = new RangeReader(store, shared, ticker, salt);
        this.comparison = new Comparison(reader, local.member().number(), salt);
        this.ended = ended;
        this.published = current();
    }

    void start() {
        serial.execute(() -> doThen(() -> {}));
    }

    /**
     * Hears how the peer is. What it has that is stamped before both clocks' now has come to it by
     * now, or comes to it late.
     */
    private void introduce() {
        asked++;
        ask(
                peer,
                new ReplicaRequest.Announce(
                        local.member().number(), progress.stateFor(peer.member().number())),
                answer -> {
                    asked--;
                    switch (answer) {
                        case ReplicaAnswer.Announced announced -> begin(announced.news());
                        case ReplicaAnswer other -> failed(other.failure());
                    }
                });
    }

    private void begin(MemberState theirs) {
        introduced = true;
        failuresInARow = 0;
        progress.heard(peer.member().number(), theirs);
        startedMillis = Math.min(startedMillis, theirs.wallMillis());
        reader.settledBefore(Math.max(progress.gcWatermarkMillis(), theirs.gcWatermarkMillis()));
    }

    /** Ends it where it is. */
    void cancel() {
        serial.execute(() -> end(Phase.FAILED, "the node is stopping"));
    }

    /** Does something as part of the repair, and goes on with it. */
    private void doThen(Runnable task) {
        if (over) {
            return;
        }
        try {
            task.run();
            pump();
        } catch (StorageException e) {
            end(Phase.FAILED, "this node's store: " + e.getMessage());
        } catch (RuntimeException e) {
            end(Phase.FAILED, e.toString()); // a bug, which is not to end all repairs to come
            throw e;
        }
    }

    private void pump() {
        while (!over && !waiting && !holdBack() && beginOne()) {
            note();
        }
        note();
        if (!over
                && introduced
                && asked == 0
                && transfers == 0
                && !waiting
                && comparison.isOver()
                && comparison.differences().isEmpty()) {
            endWell();
        }
    }

    private void note() {
        long read = reader.bytesRead() + bytes;
        pace.spend(read - bytesPaced, ticker.nanos());
        bytesPaced = read;
        published = current();
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
        if (over) {
            return;
        }
        over = true;
        detail = why;
        phase = how;
        published = current();
        ended.accept(this);
    }

    /** Whether the pace says to wait; then it goes on by itself. */
    private boolean holdBack() {
        long waitNanos = pace.waitNanos(ticker.nanos());
        if (waitNanos == 0) {
            return false;
        }
        pause(Duration.ofNanos(waitNanos));
        return true;
    }

    private void pause(Duration duration) {
        waiting = true;
        scheduler.after(duration, () -> serial.execute(() -> doThen(() -> waiting = false)));
    }

    /** Begins one thing; false if nothing can be begun now. */
    private boolean beginOne() {
        if (!introduced) {
            if (asked == 0) {
                introduce();
            }
            return false;
        }
        if (mayTransfer()) {
            Difference difference = comparison.differences().poll();
            if (difference != null) {
                transfer(difference);
                return true;
            }
        }
        asking |= asked == 0;
        if (!asking || comparison.differences().size() >= MANY_DIFFERENCES) {
            return false;
        }
        Comparison.Question question = asked < MAX_ASKED ? comparison.next() : null;
        if (question == null) {
            asking = false;
            return false;
        }
        asked++;
        ask(
                peer,
                question.compare,
                answer -> {
                    asked--;
                    answered(question, answer);
                });
        return true;
    }

    /** Not between two answers to questions, or else each entry would travel alone. */
    private boolean mayTransfer() {
        return transfers < MAX_TRANSFERS
                && transferBytes < MAX_TRANSFER_BYTES
                && (asked == 0 || comparison.differences().size() >= MAX_TRANSFERS);
    }

    /** Asks; the answer comes in a task of its own, which is followed by {@link #pump}. */
    private void ask(Replica replica, ReplicaRequest request, Consumer<ReplicaAnswer> then) {
        boolean counts = replica.member().equals(peer.member());
        if (counts) {
            bytes += PeerCodec.requestBytes(request);
        }
        replica.ask(
                request,
                ticker.nanos() + DEADLINE.toNanos(),
                answer ->
                        serial.execute(
                                () ->
                                        doThen(
                                                () -> {
                                                    bytes +=
                                                            counts
                                                                    ? PeerCodec.answerBytes(answer)
                                                                    : 0;
                                                    then.accept(answer);
                                                })));
    }

    private void answered(Comparison.Question question, ReplicaAnswer answer) {
        switch (answer) {
            case ReplicaAnswer.Compared range -> {
                failuresInARow = 0;
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

    /** Something failed that may succeed later. */
    private void failed(Failed failure) {
        failuresInARow++;
        if (failuresInARow >= TRIES) {
            end(Phase.FAILED, failure.reason() + ": " + failure.detail());
        } else if (!waiting) {
            pause(BETWEEN_TRIES);
        }
    }

    private void transfer(Difference difference) {
        Entry mine;
        try {
            mine = lookup(difference.key());
        } catch (CorruptionException e) {
            unreadableKeys++;
            return;
        }
        switch (Transfer.of(mine, difference.theirs(), shared)) {
            case Transfer.Settled settled -> {}
            case Transfer.Push push -> {
                differing++;
                push(difference, push.entry());
            }
            case Transfer.Pull pull -> {
                differing++;
                pull(difference);
            }
        }
    }

    private @Nullable Entry lookup(byte[] key) {
        return switch (store.lookup(key)) {
            case Lookup.Found found -> found.entry();
            case Lookup.Absent absent -> null;
            case Lookup.NotResident notResident ->
                    throw new IllegalStateException("the store did not wait for the disk");
        };
    }

    private void begin(long transferred) {
        transfers++;
        transferBytes += transferred;
    }

    private void finish(long transferred) {
        transfers--;
        transferBytes -= transferred;
    }

    private void push(Difference difference, Entry entry) {
        long size = (long) entry.key().length + entry.valueBytes();
        begin(size);
        ask(
                peer,
                ReplicaRequest.Write.copyOf(entry),
                answer -> {
                    finish(size);
                    switch (answer) {
                        case ReplicaAnswer.Stored stored -> {
                            failuresInARow = 0;
                            pushed++;
                            if (stored.newest().isAfter(entry.timestamp())) {
                                // It has a newer one, which is not for both, or is just written.
                                pull(difference);
                            }
                        }
                        case ReplicaAnswer other -> notDone(difference, other.failure());
                    }
                });
    }

    private void pull(Difference difference) {
        begin(0);
        ask(
                peer,
                new ReplicaRequest.Read(difference.key()),
                answer -> {
                    finish(0);
                    switch (answer) {
                        case ReplicaAnswer.Found found -> {
                            failuresInARow = 0;
                            keep(difference, found.entry());
                        }
                        case ReplicaAnswer.Absent absent -> failuresInARow = 0;
                        case ReplicaAnswer other -> {
                            Failed failed = other.failure();
                            if (failed.reason() == Failure.CORRUPT) {
                                unreadableKeys++;
                            } else {
                                notDone(difference, failed);
                            }
                        }
                    }
                });
    }

    private void keep(Difference difference, Entry entry) {
        Entry mine = lookup(difference.key());
        if (!Transfer.takes(mine, entry, shared)) {
            if (mine != null && Transfer.gives(mine, entry)) {
                push(difference, mine);
            }
            return;
        }
        long size = (long) entry.key().length + entry.valueBytes();
        begin(size);
        ask(
                local,
                ReplicaRequest.Write.copyOf(entry),
                answer -> {
                    finish(size);
                    switch (answer) {
                        case ReplicaAnswer.Stored stored -> pulled++;
                        case ReplicaAnswer other -> notDone(difference, other.failure());
                    }
                });
    }

    /** An entry was not sent or not taken. One that is refused, by its timestamp, stays so. */
    private void notDone(Difference difference, Failed failed) {
        if (failed.reason() == Failure.REFUSED && !failed.detail().isEmpty() && peerAnswers()) {
            refused++;
        } else {
            differing--;
            comparison.differences().addFirst(difference);
            failed(failed);
        }
    }

    /** Whether a refusal is of the entry, and not of all exchanges. */
    private boolean peerAnswers() {
        return failuresInARow == 0;
    }

    /** In {@link Ticker#nanos} time. */
    long startedNanos() {
        return startedNanos;
    }

    /** On the slower of both members' clocks, in milliseconds since 1970. */
    long startedMillis() {
        return startedMillis;
    }

    /** How it goes. */
    PeerRepairStatus status() {
        return published;
    }

    private PeerRepairStatus current() {
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
                ticker.nanos() - startedNanos,
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
