package dev.quorate.node.antientropy;

import dev.quorate.node.membership.Gain;
import dev.quorate.router.background.EntryWriter;
import dev.quorate.router.background.JobDriver;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.RecordStore;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Pace;
import dev.quorate.router.runtime.SerialExecutor;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.KeyValueStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies what other members have to a member that has lost its disk, or gains keys: their entries,
 * or their records of conditional writes. A source sends a page at a time, a few sources send at
 * once, and {@link Pace} bounds the bytes in a second.
 *
 * <p><i>Entries</i>: one source sends each entry, an owner that loses it if there is one. A source
 * that fails a few times in a row is skipped, and the repairs that follow find what it would have
 * sent. Entries that are not newer than this node's are not written again, so a restart costs only
 * their transfer.
 *
 * <p><i>Records</i>: each source sends all of its own. Of two versions of a record the one with the
 * later ballot is retained, as in any store. So this member has promised and accepted all that a
 * majority with it may have.
 *
 * <p>A {@link SourceStream} for each source decides. Everything happens in tasks of one {@link
 * SerialExecutor}, which may wait for the disk.
 */
public final class BulkCopy implements Gain.Source, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(BulkCopy.class);

    /** How many streams run at once, each with one page in memory. */
    private static final int MAX_RUNNING = 4;

    private static final Duration RISE = Duration.ofSeconds(20);

    /** The request for a page. */
    @FunctionalInterface
    private interface Pages {
        ReplicaRequest from(List<Integer> sources, boolean gainsOnly, byte[] start);
    }

    private final KeyValueStore store;
    private final Pages pages;
    private final JobDriver.Means means;
    private final LongSupplier bytesPerSecond;
    private Pace pace;

    // Used by serial tasks only.
    private final List<SourceStream> streams = new ArrayList<>();
    private final Deque<JobDriver<?>> waiting = new ArrayDeque<>();
    private int running;
    private long writtenBefore;
    private boolean hasAll;
    private Consumer<Boolean> done = _ -> {};

    private volatile List<JobDriver<?>> drivers = List.of();
    private volatile long written;
    private volatile long receivedBytes;
    private volatile boolean closed;

    /** Whether an entry was refused since the last beginning. */
    private final AtomicBoolean refused;

    private BulkCopy(
            KeyValueStore store,
            Pages pages,
            EntryWriter writer,
            AtomicBoolean refused,
            LongSupplier bytesPerSecond,
            NodeRuntime runtime) {
        this.store = store;
        this.pages = pages;
        this.refused = refused;
        this.means = new JobDriver.Means(runtime, writer, runtime.serial());
        this.bytesPerSecond = bytesPerSecond;
        this.pace = newPace();
    }

    private Pace newPace() {
        return new Pace(bytesPerSecond.getAsLong(), means.runtime().ticker().nanos(), RISE);
    }

    /**
     * A copy of entries. An entry that this node refuses because of its timestamp is left out: it
     * would be refused again.
     *
     * @param local this node
     * @param bytesPerSecond the most bytes of messages in a second, when a copy begins; 0 for no
     *     limit
     */
    public static BulkCopy ofEntries(
            Replica local, KeyValueStore store, LongSupplier bytesPerSecond, NodeRuntime runtime) {
        int self = local.member().number();
        EntryWriter writer = EntryWriter.to(local);
        AtomicBoolean refused = new AtomicBoolean();
        return new BulkCopy(
                store,
                (sources, gainsOnly, start) ->
                        new ReplicaRequest.StreamPage(
                                self, gainsOnly, sources, start, SourceStream.PAGE_BYTES),
                (entry, deadline, completion) ->
                        writer.write(
                                entry,
                                deadline,
                                failure -> {
                                    boolean isRefused =
                                            failure != null && failure.reason() == Failure.REFUSED;
                                    refused.compareAndSet(false, isRefused);
                                    completion.accept(isRefused ? null : failure);
                                }),
                refused,
                bytesPerSecond,
                runtime);
    }

    /**
     * A copy of the records of conditional writes.
     *
     * @param self this member's number
     * @param records the keyspace of these records in this node's store
     * @param bytesPerSecond the most bytes of messages in a second; 0 for no limit
     */
    public static BulkCopy ofRecords(
            int self, KeyValueStore records, long bytesPerSecond, NodeRuntime runtime) {
        EntryWriter writer = EntryWriter.into(records);
        return new BulkCopy(
                records,
                (_, gainsOnly, start) ->
                        new ReplicaRequest.StreamRecords(
                                self, gainsOnly, start, SourceStream.PAGE_BYTES),
                (entry, deadline, completion) ->
                        writer.write(RecordStore.copyOf(entry), deadline, completion),
                new AtomicBoolean(),
                () -> bytesPerSecond,
                runtime);
    }

    @Override
    public void begin(List<Replica> from, boolean gainsOnly, Consumer<Boolean> whenDone) {
        List<Integer> sources = from.stream().map(Replica::member).map(Member::number).toList();
        means.serial()
                .execute(
                        () -> {
                            drivers.forEach(JobDriver::cancel);
                            waiting.clear();
                            streams.clear();
                            writtenBefore = written;
                            receivedBytes = 0;
                            running = 0;
                            hasAll = true;
                            refused.set(false);
                            pace = newPace();
                            done = whenDone;
                            from.forEach(each -> add(each, sources, gainsOnly));
                            drivers = List.copyOf(waiting);
                            next();
                        });
    }

    private void add(Replica source, List<Integer> sources, boolean gainsOnly) {
        SourceStream stream =
                new SourceStream(source, at -> pages.from(sources, gainsOnly, at), store);
        streams.add(stream);
        waiting.add(new JobDriver<>(means, stream, pace, owner(stream)));
    }

    @Override
    public long written() {
        return written;
    }

    @Override
    public long receivedBytes() {
        return receivedBytes;
    }

    private void next() {
        if (closed) {
            return;
        }
        while (running < MAX_RUNNING && !waiting.isEmpty()) {
            running++;
            waiting.remove().start();
        }
        if (running == 0) {
            done.accept(hasAll && !refused.get());
        }
    }

    private JobDriver.Owner owner(SourceStream stream) {
        return new JobDriver.Owner() {
            @Override
            public void moved() {
                written = writtenBefore + streams.stream().mapToLong(SourceStream::written).sum();
                receivedBytes = streams.stream().mapToLong(SourceStream::receivedBytes).sum();
            }

            @Override
            public void ended(@Nullable RuntimeException bug) {
                Failed givenUp = stream.givenUp();
                hasAll &= bug == null && givenUp == null;
                if (givenUp != null) {
                    LOG.warn(
                            "{} has not sent all ({}: {})",
                            stream.source().name(),
                            givenUp.reason(),
                            givenUp.detail());
                }
                running--;
                next();
            }
        };
    }

    /** Stops; {@code whenDone} is not run. */
    @Override
    public void close() {
        closed = true;
        drivers.forEach(JobDriver::cancel);
    }
}
