package dev.quorate.node.antientropy;

import dev.quorate.node.membership.Gain;
import dev.quorate.router.background.EntryWriter;
import dev.quorate.router.background.JobDriver;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.RecordStore;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Pace;
import dev.quorate.storage.KeyValueStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the records of conditional writes from other members to a member that has lost its disk,
 * before it votes, or to one that gains keys. Of two versions of a record the one with the later
 * ballot is retained, as in any store. So this member has promised and accepted all that a majority
 * with it may have.
 *
 * <p>Everything happens in tasks of one serial executor, which may wait for the disk.
 */
public final class RecordCopy implements Gain.Records, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RecordCopy.class);

    private final int self;
    private final KeyValueStore records;
    private final JobDriver.Means means;
    private final Pace pace;

    // Used by serial tasks only.
    private final Deque<SourceStream> waiting = new ArrayDeque<>();

    private volatile @Nullable JobDriver<?> driver;
    private volatile boolean closed;

    /**
     * @param self this member's number
     * @param records the keyspace of these records in this node's store
     * @param bytesPerSecond maximum bytes of messages per second; 0 for no limit
     */
    public RecordCopy(int self, KeyValueStore records, long bytesPerSecond, NodeRuntime runtime) {
        this.self = self;
        this.records = records;
        EntryWriter writer = EntryWriter.into(records);
        this.means =
                new JobDriver.Means(
                        runtime,
                        (entry, deadline, completion) ->
                                writer.write(RecordStore.copyOf(entry), deadline, completion),
                        runtime.serial());
        this.pace = new Pace(bytesPerSecond, runtime.ticker().nanos());
    }

    @Override
    public void begin(List<Replica> from, boolean gainsOnly, Consumer<Boolean> whenDone) {
        means.serial()
                .execute(
                        () -> {
                            cancel();
                            waiting.clear();
                            for (Replica source : from) {
                                waiting.add(
                                        new SourceStream(
                                                source,
                                                at ->
                                                        new ReplicaRequest.StreamRecords(
                                                                self,
                                                                gainsOnly,
                                                                at,
                                                                SourceStream.PAGE_BYTES),
                                                records));
                            }
                            next(whenDone);
                        });
    }

    private void next(Consumer<Boolean> whenDone) {
        SourceStream stream = waiting.poll();
        if (closed) {
            return;
        }
        if (stream == null) {
            whenDone.accept(true);
            return;
        }
        JobDriver<?> next =
                new JobDriver<>(means, stream, pace, bug -> ended(stream, bug, whenDone));
        driver = next;
        next.start();
    }

    private void ended(
            SourceStream stream, @Nullable RuntimeException bug, Consumer<Boolean> whenDone) {
        Failed givenUp = stream.givenUp();
        if (bug == null && givenUp == null) {
            next(whenDone);
            return;
        }
        if (givenUp != null) {
            LOG.warn(
                    "{} has not sent its records of conditional writes ({}: {})",
                    stream.source().name(),
                    givenUp.reason(),
                    givenUp.detail());
        }
        if (!closed) {
            whenDone.accept(false);
        }
    }

    /** Stops; {@code whenDone} is not run. */
    @Override
    public void close() {
        closed = true;
        cancel();
    }

    private void cancel() {
        JobDriver<?> last = driver;
        if (last != null) {
            last.cancel();
        }
    }
}
