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
 * Fills the store of a member that has lost its disk from the other members, a page of entries at a
 * time. Each entry is given by one of those that have it, a few members give at once, and no more
 * bytes a second are taken than its {@link Pace} allows.
 *
 * <p>It is in a hurry, and proves nothing: a member that fails a few times in a row is given up,
 * and what it would have given is found by the comparisons that follow. What is here already as new
 * is not written again, so that a restart costs only the way.
 *
 * <p>Everything happens in tasks of one {@link Serial}, which may wait for the disk.
 */
public final class Bootstrap implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Bootstrap.class);

    private static final int PAGE_BYTES = 512 << 10;

    /** So many pages may be in memory. */
    private static final int AT_ONCE = 4;

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
    private final Deque<Giver> waiting = new ArrayDeque<>();
    private int giving;
    private long givers;
    private Runnable done = () -> {};

    private volatile long written;
    private volatile boolean closed;

    /** One member's part. */
    private static final class Giver {
        final Replica replica;
        byte[] at = FIRST;
        int failuresInARow;

        Giver(Replica replica) {
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
     * Begins. Once in a life.
     *
     * @param from who gives, asked in a lane where nobody waits for it
     * @param whenDone run when everybody has given what there was, or was given up
     */
    public void begin(List<Replica> from, Runnable whenDone) {
        serial.execute(
                () -> {
                    done = whenDone;
                    for (Replica replica : from) {
                        givers |= 1L << indexOf(replica.member());
                        waiting.add(new Giver(replica));
                    }
                    next();
                });
    }

    private int indexOf(Member member) {
        return topology.members().indexOf(member);
    }

    /** Entries that others have given and that were written so far. */
    public long written() {
        return written;
    }

    private void next() {
        while (giving < AT_ONCE && !waiting.isEmpty()) {
            giving++;
            ask(waiting.remove());
        }
        if (giving == 0) {
            done.run();
        }
    }

    private void ask(Giver giver) {
        if (closed) {
            return;
        }
        long waitNanos = pace.waitNanos(ticker.nanos());
        if (waitNanos > 0) {
            later(giver, Duration.ofNanos(waitNanos));
            return;
        }
        giver.replica.ask(
                new ReplicaRequest.Give(local.member().number(), givers, giver.at, PAGE_BYTES),
                deadlineNanos(),
                answer -> serial.execute(() -> answered(giver, answer)));
    }

    private void later(Giver giver, Duration delay) {
        scheduler.after(delay, () -> serial.execute(() -> ask(giver)));
    }

    private long deadlineNanos() {
        return ticker.nanos() + PeerRepair.DEADLINE.toNanos();
    }

    private void answered(Giver giver, ReplicaAnswer answer) {
        if (closed) {
            return;
        }
        pace.spend(PeerCodec.answerBytes(answer), ticker.nanos());
        switch (answer) {
            case ReplicaAnswer.Given given -> keep(giver, given);
            case ReplicaAnswer other -> failed(giver, other.failure());
        }
    }

    private void failed(Giver giver, Failed failed) {
        giver.failuresInARow++;
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
        if (mayPass && giver.failuresInARow < TRIES) {
            later(giver, BETWEEN_TRIES);
            return;
        }
        LOG.warn(
                "{} has not given all ({}: {}): comparisons will find what is missing",
                giver.replica.member().name(),
                failed.reason(),
                failed.detail());
        over();
    }

    private void over() {
        giving--;
        next();
    }

    /** Writes what is missing here, and goes on in a task of its own when that is durable. */
    private void keep(Giver giver, ReplicaAnswer.Given given) {
        List<Entry> missing;
        try {
            missing = missing(given.entries());
        } catch (StorageException e) {
            failed(giver, new Failed(Failure.FAILED, "this node's store: " + e.getMessage()));
            return;
        }
        AtomicInteger left = new AtomicInteger(missing.size() + 1);
        AtomicReference<@Nullable Failed> failure = new AtomicReference<>();
        Runnable oneLess =
                () -> {
                    if (left.decrementAndGet() == 0) {
                        serial.execute(() -> kept(giver, given, missing.size(), failure.get()));
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

    /** Those of some entries, in ascending order of keys, that this node has not as new. */
    private List<Entry> missing(List<Entry> given) {
        if (given.isEmpty()) {
            return given;
        }
        List<Entry> missing = new ArrayList<>();
        try (EntryCursor own =
                store.scan(given.getFirst().key(), KeyRange.after(given.getLast().key()))) {
            boolean more = own.next();
            for (Entry entry : given) {
                while (more && Arrays.compareUnsigned(own.key(), entry.key()) < 0) {
                    more = own.next();
                }
                boolean isHere = more && Arrays.equals(own.key(), entry.key());
                if (!isHere || entry.supersedes(own.entry())) {
                    missing.add(entry);
                }
            }
        } catch (CorruptionException e) {
            return given; // the newer of two wins
        }
        return missing;
    }

    private void kept(
            Giver giver, ReplicaAnswer.Given given, int entries, @Nullable Failed failure) {
        if (closed) {
            return;
        }
        if (failure != null) {
            failed(giver, new Failed(failure.reason(), "this node: " + failure.detail()));
            return;
        }
        giver.failuresInARow = 0;
        count(entries);
        byte @Nullable [] next = given.next();
        if (next == null) {
            over();
        } else {
            giver.at = next;
            ask(giver);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One task at a time.
    private void count(int entries) {
        written += entries;
    }

    /** Ends it where it is; nobody is told. */
    @Override
    public void close() {
        closed = true;
    }
}
