package dev.quorate.node.antientropy;

import dev.quorate.node.clock.Scheduler;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.message.PeerCodec;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams the data of a member that has lost its disk from the other members, a page of entries at
 * a time. One source sends each entry, a few sources send at once, and {@link Pace} bounds the
 * bytes in a second.
 *
 * <p>It is fast, and proves nothing: a source that fails a few times in a row is skipped, and the
 * repairs that follow find what it would have sent. Entries that are not newer than this node's are
 * not written again, so a restart costs only their transfer.
 *
 * <p>Everything happens in tasks of one {@link Serial}, which may wait for the disk.
 */
public final class Bootstrap implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Bootstrap.class);

    private static final int PAGE_BYTES = 512 << 10;

    /** Pages in memory. */
    private static final int MAX_RUNNING = 4;

    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);
    private static final int TRIES = 4;
    private static final byte[] FIRST = {};

    private final Replica local;
    private final KeyValueStore store;
    private final Topology topology;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Executor serial;
    private final Pace pace;

    // Of the serial tasks alone.
    private final Deque<Source> waiting = new ArrayDeque<>();
    private int running;
    private long sources;
    private Runnable done = () -> {};

    private volatile long written;
    private volatile boolean closed;

    /** One member that sends. */
    private static final class Source {
        final Replica replica;
        byte[] at = FIRST;
        int failuresInARow;

        Source(Replica replica) {
            this.replica = replica;
        }
    }

    /**
     * @param local this node
     * @param bytesPerSecond the most bytes of messages in a second; 0 for no limit
     * @param blocking where reads may wait for the disk; may reject
     */
    public Bootstrap(
            Replica local,
            KeyValueStore store,
            Topology topology,
            long bytesPerSecond,
            Ticker ticker,
            Scheduler scheduler,
            Executor blocking) {
        this.local = local;
        this.store = store;
        this.topology = topology;
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.serial = new Serial(blocking, scheduler, Integer.MAX_VALUE);
        this.pace = new Pace(bytesPerSecond, ticker.nanos());
    }

    /**
     * Begins. To be called once.
     *
     * @param from the sources, asked in the lane of repairs
     * @param whenDone run when every source has sent all, or was skipped
     */
    public void begin(List<Replica> from, Runnable whenDone) {
        serial.execute(
                () -> {
                    done = whenDone;
                    for (Replica replica : from) {
                        sources |= 1L << indexOf(replica.member());
                        waiting.add(new Source(replica));
                    }
                    next();
                });
    }

    private int indexOf(Member member) {
        return topology.members().indexOf(member);
    }

    /** How many entries were received and written so far. */
    public long written() {
        return written;
    }

    private void next() {
        while (running < MAX_RUNNING && !waiting.isEmpty()) {
            running++;
            ask(waiting.remove());
        }
        if (running == 0) {
            done.run();
        }
    }

    private void ask(Source source) {
        if (closed) {
            return;
        }
        long waitNanos = pace.waitNanos(ticker.nanos());
        if (waitNanos > 0) {
            later(source, Duration.ofNanos(waitNanos));
            return;
        }
        source.replica.ask(
                new ReplicaRequest.StreamPage(
                        local.member().number(), sources, source.at, PAGE_BYTES),
                deadlineNanos(),
                answer -> serial.execute(() -> answered(source, answer)));
    }

    private void later(Source source, Duration delay) {
        scheduler.after(delay, () -> serial.execute(() -> ask(source)));
    }

    private long deadlineNanos() {
        return ticker.nanos() + PeerRepair.DEADLINE.toNanos();
    }

    private void answered(Source source, ReplicaAnswer answer) {
        if (closed) {
            return;
        }
        pace.spend(PeerCodec.answerBytes(answer), ticker.nanos());
        switch (answer) {
            case ReplicaAnswer.StreamedPage page -> keep(source, page);
            case ReplicaAnswer other -> failed(source, other.failure());
        }
    }

    private void failed(Source source, Failed failed) {
        source.failuresInARow++;
        boolean mayPass =
                switch (failed.reason()) {
                    case CORRUPT, REFUSED -> false;
                    case TIMEOUT,
                            UNREACHABLE,
                            BREAKER_OPEN,
                            OVERLOADED,
                            DISK_FULL,
                            FAILED,
                            STOPPING,
                            NOT_ASKED,
                            REBUILDING,
                            TOO_OLD,
                            VERSION_TAKEN ->
                            true;
                };
        if (mayPass && source.failuresInARow < TRIES) {
            later(source, BETWEEN_TRIES);
            return;
        }
        LOG.warn(
                "{} has not sent all ({}: {}): repairs will find what is missing",
                source.replica.member().name(),
                failed.reason(),
                failed.detail());
        over();
    }

    private void over() {
        running--;
        next();
    }

    /** Writes what is missing here, and goes on in a task of its own when that is durable. */
    private void keep(Source source, ReplicaAnswer.StreamedPage page) {
        List<Entry> missing;
        try {
            missing = missing(page.entries());
        } catch (StorageException e) {
            failed(source, new Failed(Failure.FAILED, "this node's store: " + e.getMessage()));
            return;
        }
        AtomicInteger left = new AtomicInteger(missing.size() + 1);
        AtomicReference<@Nullable Failed> failure = new AtomicReference<>();
        Runnable oneLess =
                () -> {
                    if (left.decrementAndGet() == 0) {
                        serial.execute(() -> kept(source, page, missing.size(), failure.get()));
                    }
                };
        long deadlineNanos = deadlineNanos();
        for (Entry entry : missing) {
            local.ask(
                    ReplicaRequest.Write.copyOf(entry),
                    deadlineNanos,
                    answer -> {
                        // What is refused, by its timestamp, stays so.
                        if (answer instanceof Failed failed && failed.reason() != Failure.REFUSED) {
                            failure.set(failed);
                        }
                        oneLess.run();
                    });
        }
        oneLess.run();
    }

    /** The entries, in ascending order of keys, that are newer than this node's. */
    private List<Entry> missing(List<Entry> sent) {
        if (sent.isEmpty()) {
            return sent;
        }
        List<Entry> missing = new ArrayList<>();
        try (EntryCursor own =
                store.scan(sent.getFirst().key(), KeyRange.after(sent.getLast().key()))) {
            boolean more = own.next();
            for (Entry entry : sent) {
                while (more && Arrays.compareUnsigned(own.key(), entry.key()) < 0) {
                    more = own.next();
                }
                boolean isHere = more && Arrays.equals(own.key(), entry.key());
                if (!isHere || entry.supersedes(own.entry())) {
                    missing.add(entry);
                }
            }
        } catch (CorruptionException e) {
            return sent; // the newer of two wins
        }
        return missing;
    }

    private void kept(
            Source source, ReplicaAnswer.StreamedPage page, int entries, @Nullable Failed failure) {
        if (closed) {
            return;
        }
        if (failure != null) {
            failed(source, new Failed(failure.reason(), "this node: " + failure.detail()));
            return;
        }
        source.failuresInARow = 0;
        count(entries);
        byte @Nullable [] next = page.next();
        if (next == null) {
            over();
        } else {
            source.at = next;
            ask(source);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One task at a time.
    private void count(int entries) {
        written += entries;
    }

    /** Stops; {@code whenDone} is not run. */
    @Override
    public void close() {
        closed = true;
    }
}
