package dev.quorate.router.coordinator;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.router.coordinator.admission.Admission;
import dev.quorate.router.coordinator.admission.OperationGate;
import dev.quorate.router.coordinator.conditional.ConditionalWrites;
import dev.quorate.router.coordinator.operation.ClusterReplicas;
import dev.quorate.router.coordinator.operation.CoordinatorOptions;
import dev.quorate.router.coordinator.operation.DeferredReadRepairs;
import dev.quorate.router.coordinator.operation.HintSink;
import dev.quorate.router.coordinator.operation.LateReads;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.OperationContext.OperationTimes;
import dev.quorate.router.coordinator.operation.OperationCounters;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.ValueRoom;
import dev.quorate.router.coordinator.operation.Views;
import dev.quorate.router.coordinator.range.ScanRange;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.coordinator.range.Scans;
import dev.quorate.router.coordinator.readwrite.ReadFirstWrites;
import dev.quorate.router.coordinator.readwrite.ReadOperation;
import dev.quorate.router.coordinator.readwrite.ReadRound;
import dev.quorate.router.coordinator.readwrite.Reads;
import dev.quorate.router.coordinator.readwrite.WriteOperation;
import dev.quorate.router.coordinator.readwrite.WriteRound;
import dev.quorate.router.coordinator.readwrite.Writes;
import dev.quorate.router.coordinator.waiting.Waits;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Serves clients' operations from as many replicas as each asks for.
 *
 * <p>The replicas of a key are the first {@code from} of its ring order and no others: a copy
 * elsewhere would not be found. The local one, if it is among them, is asked first, so that its
 * fsync overlaps the network. A write goes to all of them. A read asks as many as must answer, and
 * one more for each that fails or is late. The fastest {@code ack} answers decide.
 *
 * <p>How an operation ends. "No room" is {@code OVERLOADED}, {@code DISK_FULL} or {@code STOPPING};
 * "perhaps" is a failure after which the write may nevertheless have been stored.
 *
 * <table>
 * <caption>Outcomes</caption>
 * <tr><th>Operation</th><th>When</th><th>Outcome</th></tr>
 * <tr><td>any</td><td>stopping, or overloaded; or the clock cannot stamp, or the given version is ahead of it</td><td>Refused, no replica was asked</td></tr>
 * <tr><td>read</td><td>{@code ack} replicas answered</td><td>Found or Missing: the newest of those answers; at a majority, once a majority stores it</td></tr>
 * <tr><td>read</td><td>they no longer can, but could if replicas without room did not count as failed</td><td>Refused</td></tr>
 * <tr><td>read</td><td>they no longer can, otherwise</td><td>QuorumFailed, at once</td></tr>
 * <tr><td>write</td><td>{@code ack} replicas have stored it</td><td>Written, see below</td></tr>
 * <tr><td>write</td><td>they no longer can; no replica stored it, even perhaps; and one reports that its version is too old</td><td>TooOld</td></tr>
 * <tr><td>write</td><td>the given version belongs to another write: a read finds that one, or a replica does and {@code ack} can no longer be reached</td><td>VersionTaken</td></tr>
 * <tr><td>write</td><td>they no longer can; no replica stored it, even perhaps; and they could if replicas without room did not count as failed</td><td>Refused</td></tr>
 * <tr><td>write</td><td>they no longer can, otherwise</td><td>QuorumFailed, once every replica that was asked has answered, at the deadline at the latest</td></tr>
 * </table>
 *
 * <p>A failed write is not rolled back: a replica may have stored it, and a later read may make it
 * visible. Sending it again with its timestamp is safe.
 *
 * <p><b>Restamps.</b> A write that began after another was acknowledged must supersede it even if
 * this node's clock lags. Where the quorums overlap, one of the replicas that acknowledge the later
 * write has the earlier one, and reports its timestamp. Then the clock advances past it, and the
 * write is sent once more under a new timestamp, before the client is answered. Once is enough: the
 * first round reports whatever was acknowledged before this write began, so any entry that still
 * supersedes it in the second round is concurrent. A timestamp given by the client does not change:
 * it names an earlier attempt, which must not supersede what came after it.
 *
 * <p><b>Atomic registers.</b> A linearizable write first asks a majority for the newest timestamp,
 * and is stamped above it: it is newer than everything that was acknowledged or returned before it
 * began, and is never restamped. With reads at a majority, which repair what they return, this is
 * the register of Attiya, Bar-Noy and Dolev, <i>Sharing Memory Robustly in Message-Passing
 * Systems</i> (1995), for several writers, with the clock's node as the tie-break. It has no
 * leader, and costs a write one more round to the replicas. A version given by the client is that
 * of an earlier attempt, which has asked the majority.
 *
 * <p><b>Repair.</b> Where the answers that decide a read at a majority differ, the newest entry is
 * written to the replicas that lack it, and a majority of its owners stores it before the client is
 * answered: no later read at a majority returns anything older. If that is not possible in time,
 * the read fails.
 *
 * <p><b>Expiry.</b> An entry expires at its timestamp plus its time to live, whatever a replica's
 * clock reads: the moment is the same on every replica, and for an attempt sent again with its
 * version. A replica returns an expired entry as a tombstone or, if its clock is behind, as it is:
 * both count as missing here, and both supersede older answers.
 *
 * <p>{@link ReadRound} and {@link WriteRound} decide all of this, {@link ReadOperation} and {@link
 * WriteOperation} carry it out, and {@link OperationGate} admits operations.
 *
 * <p>No call blocks. Thread-safe.
 */
public final class Coordinator implements Operations {

    /** How often {@link #tick} is to be called. */
    public static final Duration ADMISSION_TICK = Admission.TICK;

    private final Figures figures = new Figures();
    private final OperationCounters counters = new OperationCounters();
    private final DeferredReadRepairs deferredRepairs;
    private final OperationGate readGate;
    private final OperationGate writeGate;
    private final Reads reads;
    private final Writes writes;
    private final ReadFirstWrites readFirstWrites;
    private final Scans scans;
    private final ConditionalWrites conditional;
    private final Waits waits;

    /**
     * @param deadlines watch for reads that become late
     * @param hints notified of replicas that missed a write
     */
    public Coordinator(
            ClusterReplicas replicas,
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
                        new Views(replicas, lateReads),
                        new ValueRoom(largeValues, runtime.blocking()),
                        hints,
                        deferredRepairs,
                        counters);
        reads = new Reads(context, readGate);
        writes = new Writes(context, writeGate);
        readFirstWrites = new ReadFirstWrites(context, writeGate, writes);
        scans = new Scans(context, options, reads);
        conditional = new ConditionalWrites(context, runtime, readGate, writeGate);
        waits = new Waits(context, reads, runtime);
        registerFigures();
    }

    @Override
    public void read(byte[] key, QuorumSpec spec, OutcomeCallback callback) {
        reads.read(key, spec, callback);
    }

    private void repair(byte[] key, int from, Runnable whenDone) {
        reads.repair(key, from, whenDone);
    }

    @Override
    public void write(
            byte[] key,
            @Nullable NewValue value,
            @Nullable Timestamp version,
            QuorumSpec spec,
            boolean isLinearizable,
            OutcomeCallback callback) {
        if (isLinearizable) {
            requireMajority(spec);
        }
        if (version != null) {
            readFirstWrites.writeGiven(key, value, version, spec, callback);
        } else if (isLinearizable) {
            readFirstWrites.writeAboveAll(key, value, spec, callback);
        } else {
            writes.write(key, value, spec, callback);
        }
    }

    @Override
    public void writeIf(
            byte[] key,
            @Nullable NewValue value,
            Condition condition,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        requireMajority(spec);
        conditional.write(key, value, condition, version, spec, callback);
    }

    @Override
    public void renew(
            byte[] key,
            @Nullable Duration timeToLive,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        requireMajority(spec);
        conditional.renew(key, timeToLive, version, spec, callback);
    }

    private static void requireMajority(QuorumSpec spec) {
        if (!spec.isMajority()) {
            throw new IllegalArgumentException(spec + " is less than a majority");
        }
    }

    /**
     * Decides, in the background, a conditional write that only a minority of the first {@code
     * from} owners of a key has accepted.
     */
    public void decide(byte[] key, int from) {
        conditional.decide(key, from);
    }

    @Override
    public ScanStream scan(
            ScanRange range, QuorumSpec spec, ScanScope scope, @Nullable TraceParent trace) {
        return scans.open(range, spec, scope, trace);
    }

    @Override
    public boolean refusesNow(boolean isWrite) {
        return (isWrite ? writeGate : readGate).refusesNow();
    }

    @Override
    public void whenRoom(boolean isWrite, Runnable work) {
        (isWrite ? writeGate : readGate).whenRoom(work);
    }

    /**
     * To be called every {@link #ADMISSION_TICK}, by one thread at a time; less often after it has
     * returned false, because nothing was in progress.
     */
    public boolean tick() {
        boolean isReading = readGate.tick();
        boolean isWriting = writeGate.tick();
        return waits.tick() || isReading || isWriting;
    }

    @Override
    public Waits waits() {
        return waits;
    }

    /** Refuses new operations from now on; those in progress continue. */
    public void drain() {
        waits.drain();
        readGate.drain();
        writeGate.drain();
        scans.drain();
    }

    /** Counters since the coordinator was created, and gauges. */
    public Figures figures() {
        return figures;
    }

    /** Reads, writes and ranges that have not ended. */
    public int underway() {
        return readGate.underway() + writeGate.underway() + scans.open();
    }

    private void registerFigures() {
        figures.gauge(
                "http_requests_in_flight",
                "Reads and writes in progress.",
                () -> readGate.underway() + writeGate.underway());
        String limit = "Current limit of concurrent reads and writes.";
        figures.gauge("admission_limit", limit, readGate::limit, "op", "read");
        figures.gauge("admission_limit", limit, writeGate::limit, "op", "write");
        figures.gauge(
                "waits", "Clients waiting for a change of a key or below a prefix.", waits::size);
        figures.gauge("scans_open", "Open ranges.", scans::open);
        counters.register(figures);
        String repairs = "Keys whose replicas differed when they were read.";
        figures.counter(
                "read_repairs", repairs, counters.readRepairs::sum, "mode", "before_the_answer");
        figures.counter("read_repairs", repairs, deferredRepairs::started, "mode", "later");
        figures.counter("read_repairs", repairs, deferredRepairs::dropped, "mode", "forgotten");
    }
}
