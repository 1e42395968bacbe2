package dev.quorate.node.coordinator;

import dev.quorate.node.clock.HybridClock;
import dev.quorate.node.runtime.ByteBudget;
import dev.quorate.node.runtime.Deadlines;
import dev.quorate.node.runtime.NodeRuntime;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Answers clients' operations from as many replicas as they asked for.
 *
 * <p>The replicas of a key are the first {@code from} of its ring order and no others: a copy
 * elsewhere would not be found again. The local one, if it is among them, is asked first, so that
 * its fsync overlaps the network. A write goes to all of them. A read asks as many as have to
 * answer, and another where one fails or is late. The fastest {@code ack} answers decide.
 *
 * <p>How an operation ends. "No room" is {@code OVERLOADED}, {@code DISK_FULL} or {@code STOPPING};
 * "perhaps" is a failure after which a write may have been stored all the same.
 *
 * <table>
 * <caption>Outcomes</caption>
 * <tr><th>Operation</th><th>When</th><th>Outcome</th></tr>
 * <tr><td>any</td><td>stopping, or too much under way; or the clock cannot stamp, or the version
 *     given is ahead of it</td><td>Refused, nobody was asked</td></tr>
 * <tr><td>read</td><td>{@code ack} replicas answered</td><td>Found or Missing: the newest of those
 *     answers; at a majority, once a majority has it</td></tr>
 * <tr><td>read</td><td>they cannot any more, though they could if those without room are not
 *     counted as failed</td><td>Refused</td></tr>
 * <tr><td>read</td><td>they cannot any more, otherwise</td><td>QuorumFailed, at once</td></tr>
 * <tr><td>write</td><td>{@code ack} replicas have it</td><td>Written, see below</td></tr>
 * <tr><td>write</td><td>they cannot any more; no replica has it, none perhaps; and one says that
 *     its version is too old</td><td>TooOld</td></tr>
 * <tr><td>write</td><td>the version given is another write's: a read finds that one, or a replica
 *     does and {@code ack} cannot have it any more</td><td>VersionTaken</td></tr>
 * <tr><td>write</td><td>they cannot any more; no replica has it, none perhaps; and they could if
 *     those without room are not counted as failed</td><td>Refused</td></tr>
 * <tr><td>write</td><td>they cannot any more, otherwise</td><td>QuorumFailed, once all that were
 *     asked have answered; the deadline is their last moment</td></tr>
 * </table>
 *
 * <p>A failed write is never taken back: some replica may hold it, and a later read may make it
 * visible. Sending it again with its timestamp is safe.
 *
 * <p><b>Restamps.</b> A write that began after another was acknowledged must supersede it even if
 * this node's clock lags. Where the quorums overlap, one of the replicas that acknowledge the later
 * write holds the earlier one, and says so. Then the clock is moved past what it holds, and the
 * write goes out once more under a new timestamp, before the client is answered. Once is enough:
 * whatever was acknowledged before this write began was told in its first round, so what still
 * supersedes it in the second was written meanwhile, and may as well have been written after. A
 * timestamp that the client gave is kept: it names an earlier attempt, which must not hide what
 * came after it.
 *
 * <p><b>Repair.</b> Where the answers that decide a read at a majority differ, those who lack the
 * newest entry get it, and a majority of its owners has it before the client is answered: the next
 * read at a majority shows nothing older. If that cannot be done in time, the read fails.
 *
 * <p><b>Expiry.</b> The moment is the entry's timestamp and its time to live, never a replica's own
 * clock: every replica keeps the same one, and so does an attempt sent again with its version. A
 * replica gives an expired entry as a tombstone, or, if its clock is behind, as it is: both count
 * as missing here, and both hide older answers.
 *
 * <p>{@link ReadRound} and {@link WriteRound} decide all of this, {@link ReadOperation} and {@link
 * WriteOperation} act on it, and {@link OperationGate} lets operations in.
 *
 * <p>Nothing here waits or keeps a thread. Thread-safe.
 */
public final class Coordinator implements Operations {

    /** How often {@link #tick} is to be called. */
    public static final Duration ADMISSION_TICK = Admission.TICK;

    private final OperationCounters counters = new OperationCounters();
    private final DeferredReadRepairs deferredRepairs;
    private final OperationGate readGate;
    private final OperationGate writeGate;
    private final Reads reads;
    private final Writes writes;
    private final Scans scans;
    private final Operations linearizable;

    /**
     * @param deadlines where a read waits that may become late
     * @param hints told which replicas lack what was written
     */
    public Coordinator(
            Replicas replicas,
            HybridClock clock,
            NodeRuntime runtime,
            Deadlines deadlines,
            CoordinatorOptions options,
            ByteBudget largeValues,
            HintSink hints) {
        Duration timeout = options.operationTimeout();
        LateReads lateReads = new LateReads(timeout.toNanos());
        deferredRepairs = new DeferredReadRepairs(runtime.scheduler(), this::repair);
        readGate = new OperationGate(options.maxOutstanding(), timeout, counters);
        writeGate = new OperationGate(options.maxOutstanding(), timeout, counters);
        OperationContext context =
                new OperationContext(
                        new OperationTimes(
                                runtime.ticker(), clock, deadlines, lateReads, timeout.toNanos()),
                        new ReplicaLookup(replicas, lateReads),
                        largeValues,
                        hints,
                        deferredRepairs,
                        counters);
        reads = new Reads(context, readGate);
        writes = new Writes(context, writeGate);
        scans = new Scans(context, replicas.selector(), options);
        linearizable = new LinearizableOperations(this, writes);
    }

    @Override
    public void read(byte[] key, QuorumSpec spec, OutcomeCallback callback) {
        reads.read(key, spec, callback);
    }

    private void repair(byte[] key, int from, Runnable whenDone) {
        reads.repair(key, from, whenDone);
    }

    @Override
    public void put(
            byte[] key,
            byte[] value,
            @Nullable Duration timeToLive,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        write(key, value, timeToLive, version, spec, callback);
    }

    @Override
    public void delete(
            byte[] key, @Nullable Timestamp version, QuorumSpec spec, OutcomeCallback callback) {
        write(key, null, null, version, spec, callback);
    }

    private void write(
            byte[] key,
            byte @Nullable [] value,
            @Nullable Duration timeToLive,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        if (version == null) {
            writes.write(key, value, timeToLive, spec, callback);
        } else {
            writes.writeGiven(key, value, timeToLive, version, spec, callback);
        }
    }

    @Override
    public ScanStream scan(byte[] start, byte @Nullable [] end, QuorumSpec spec, ScanScope scope) {
        return scans.open(new Range(start, end), spec, scope);
    }

    @Override
    public Operations linearizable() {
        return linearizable;
    }

    @Override
    public boolean refusesNow(boolean isWrite) {
        return (isWrite ? writeGate : readGate).refusesNow();
    }

    /** To be called every {@link #ADMISSION_TICK}, by one thread at a time. */
    public void tick() {
        readGate.tick();
        writeGate.tick();
    }

    /** From now on, refuses what is new. What is under way goes on. */
    public void drain() {
        readGate.drain();
        writeGate.drain();
        scans.drain();
    }

    /** Counters, and what is under way now. */
    public CoordinatorStatistics statistics() {
        return new CoordinatorStatistics(
                readGate.underway() + writeGate.underway(),
                readGate.limit(),
                writeGate.limit(),
                scans.open(),
                counters.readQuorumFailures.sum(),
                counters.writeQuorumFailures.sum(),
                counters.refused.sum(),
                counters.restamps.sum(),
                counters.readRepairs.sum(),
                counters.hedges.sum(),
                deferredRepairs.started(),
                deferredRepairs.dropped(),
                counters.versionsTaken.sum());
    }
}
