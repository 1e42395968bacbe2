package dev.quorate.node.antientropy;

import dev.quorate.node.membership.Gain;
import dev.quorate.router.background.EntryWriter;
import dev.quorate.router.background.JobDriver;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Pace;
import dev.quorate.router.runtime.SerialExecutor;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams the data of a member that has lost its disk, or gains keys, from the other members, a
 * page of entries at a time. One source sends each entry, a few sources send at once, and {@link
 * Pace} bounds the bytes in a second.
 *
 * <p>It is fast, and verifies nothing: a source that fails a few times in a row is skipped, and the
 * repairs that follow find what it would have sent. Entries that are not newer than this node's are
 * not written again, so a restart costs only their transfer.
 *
 * <p>A {@link SourceStream} for each source decides. Everything happens in tasks of one {@link
 * SerialExecutor}, which may wait for the disk.
 */
public final class Bootstrap implements Gain.Source, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Bootstrap.class);

    /** How many streams run at once, each with one page in memory. */
    private static final int MAX_RUNNING = 4;

    private final Replica local;
    private final KeyValueStore store;
    private final JobDriver.Means means;
    private final Pace pace;

    // Used by serial tasks only.
    private final List<SourceStream> streams = new ArrayList<>();
    private final Deque<JobDriver<?>> waiting = new ArrayDeque<>();
    private int running;
    private long writtenBefore;
    private Runnable done = () -> {};

    private volatile List<JobDriver<?>> drivers = List.of();
    private volatile long written;
    private volatile long receivedBytes;
    private volatile boolean closed;

    /**
     * @param local this node
     * @param bytesPerSecond the most bytes of messages in a second; 0 for no limit
     */
    public Bootstrap(Replica local, KeyValueStore store, long bytesPerSecond, NodeRuntime runtime) {
        this.local = local;
        this.store = store;
        this.means = new JobDriver.Means(runtime, this::write, runtime.serial());
        this.pace = new Pace(bytesPerSecond, runtime.ticker().nanos());
    }

    /**
     * An entry that this node refuses because of its timestamp counts as written: it would be
     * refused again.
     */
    private void write(Entry entry, long deadlineNanos, Consumer<@Nullable Failed> completion) {
        EntryWriter.to(local)
                .write(
                        entry,
                        deadlineNanos,
                        failure ->
                                completion.accept(
                                        failure != null && failure.reason() == Failure.REFUSED
                                                ? null
                                                : failure));
    }

    @Override
    public void begin(List<Replica> from, boolean gainsOnly, Runnable whenDone) {
        means.serial()
                .execute(
                        () -> {
                            drivers.forEach(JobDriver::cancel);
                            waiting.clear();
                            writtenBefore = written;
                            receivedBytes = 0;
                            streams.clear();
                            running = 0;
                            done = whenDone;
                            prepare(from, gainsOnly);
                            next();
                        });
    }

    private void prepare(List<Replica> from, boolean gainsOnly) {
        List<Integer> sources = from.stream().map(Replica::member).map(Member::number).toList();
        int self = local.member().number();
        for (Replica source : from) {
            SourceStream stream =
                    new SourceStream(
                            source,
                            at ->
                                    new ReplicaRequest.StreamPage(
                                            self, gainsOnly, sources, at, SourceStream.PAGE_BYTES),
                            store);
            streams.add(stream);
            waiting.add(new JobDriver<>(means, stream, pace, owner(stream)));
        }
        drivers = List.copyOf(waiting);
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
            done.run();
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
                if (givenUp != null) {
                    LOG.warn(
                            "{} has not sent all ({}: {}): repairs will find what is missing",
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
