package dev.quorate.node.coordinator;

import dev.quorate.node.clock.Deadlines;
import dev.quorate.node.clock.HybridClock;
import dev.quorate.node.clock.Scheduler;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.coordinator.Outcome.ReplicaFailure;
import dev.quorate.node.memory.ByteBudget;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 * <p><b>Stamping anew.</b> A write that began after another was acknowledged must hide it, though
 * it be stamped by a slower clock. Where the quorums overlap, one of the replicas that acknowledge
 * the later write holds the earlier one, and says so. Then the clock is moved past what it holds,
 * and the write goes out once more under a new timestamp, before the client is answered. Once is
 * enough: whatever was acknowledged before this write began was told in its first round, so what
 * still supersedes it in the second was written meanwhile, and may as well have been written after.
 * A timestamp that the client gave is kept: it names an earlier attempt, which must not hide what
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
 * <p>Nothing here waits or keeps a thread. Safe for use by many threads.
 */
public final class Coordinator implements Operations {

    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);

    /** Versions that were sent with two writes, to one line of the log. */
    private static final int TAKEN_TO_A_LINE = 1_000;

    private static final int RESTAMPS = 1;
    private static final int RETRY_AFTER_SECONDS = 1;

    /**
     * What the pages of one range take at most: of all that have their turn, an eighth of the heap.
     */
    private static final int MAX_SCAN_BYTES =
            (int) Math.min(8 << 20, Runtime.getRuntime().maxMemory() / 128);

    private static final Outcome.Refused TOO_MUCH =
            refusal("more is under way than can be done in time");

    /** How often what is let in is judged anew: see {@link #tick}. */
    public static final Duration ADMISSION_TICK = Admission.TICK;

    private final ByteBudget largeValues;
    private final ReplicaSelector selector;
    private final Map<String, Replica> replicas = new HashMap<>();
    private final Replica local;
    private final HybridClock clock;
    private final Ticker ticker;
    private final CoordinatorOptions options;
    private final long timeoutNanos;
    private final MissedWrites missedWrites;
    private final Deadlines deadlines;
    private final LateReads lateReads;

    private final Admission reads;
    private final Admission writes;
    private final AtomicInteger openScans = new AtomicInteger();
    private final PageTurns pageTurns;
    private final LongAdder readQuorumFailures = new LongAdder();
    private final LongAdder writeQuorumFailures = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder restamped = new LongAdder();
    private final LongAdder readRepairs = new LongAdder();
    private final LongAdder hedges = new LongAdder();
    private final LongAdder versionsTaken = new LongAdder();
    private final LaterLooks laterLooks;
    private final Operations linearizable = new LinearizableOperations(this);
    private volatile boolean draining;

    /**
     * @param local this node's replica
     * @param remote one replica for each other member of the topology
     * @param deadlines where a read waits that may become late
     * @param missedWrites told which replicas lack what was written
     */
    public Coordinator(
            ReplicaSelector selector,
            Replica local,
            Collection<? extends Replica> remote,
            HybridClock clock,
            Ticker ticker,
            Scheduler scheduler,
            Deadlines deadlines,
            CoordinatorOptions options,
            ByteBudget largeValues,
            MissedWrites missedWrites) {
        this.laterLooks = new LaterLooks(scheduler, this::look);
        this.largeValues = largeValues;
        this.missedWrites = missedWrites;
        this.selector = selector;
        this.local = local;
        this.clock = clock;
        this.ticker = ticker;
        this.options = options;
        this.timeoutNanos = options.operationTimeout().toNanos();
        this.pageTurns = new PageTurns(options.pagingScans());
        this.deadlines = deadlines;
        this.lateReads = new LateReads(timeoutNanos);
        this.reads = new Admission(options.maxOutstanding(), options.operationTimeout());
        this.writes = new Admission(options.maxOutstanding(), options.operationTimeout());
        replicas.put(local.member().name(), local);
        for (Replica replica : remote) {
            replicas.put(replica.member().name(), replica);
        }
        for (Member member : selector.ring().topology().members()) {
            if (!replicas.containsKey(member.name())) {
                throw new IllegalArgumentException("no replica for " + member);
            }
        }
    }

    @Override
    public void read(byte[] key, QuorumSpec spec, OutcomeCallback callback) {
        if (begin(reads, callback)) {
            read(key, spec, false, callback);
        }
    }

    private void read(byte[] key, QuorumSpec spec, boolean again, OutcomeCallback callback) {
        long nowNanos = nanos();
        Replica[] asked = replicasOf(key, spec, nowNanos);
        new ReadOperation(
                        this, key, spec, asked, nowNanos, nowNanos + timeoutNanos, again, callback)
                .start();
    }

    /** Looks at all replicas of a key later, and repairs those that differ. */
    void lookAgain(byte[] key, int from) {
        laterLooks.note(key, from);
    }

    private void look(byte[] key, int from, Runnable whenDone) {
        OutcomeCallback done = outcome -> whenDone.run();
        if (begin(reads, done)) {
            read(key, new QuorumSpec(from, from), true, done);
        }
    }

    /** Another look is over: no client's operation, and no failure of one. */
    void looked(Outcome outcome, OutcomeCallback callback) {
        reads.end();
        callback.completed(outcome);
    }

    /** A read has found that replicas differ, and repairs them before it answers. */
    void readRepaired() {
        readRepairs.increment();
    }

    /** When a read is late. */
    LateReads lateReads() {
        return lateReads;
    }

    /** Has a read told when it is late. */
    void watch(ReadOperation read) {
        deadlines.watch(read);
    }

    /** A read is late, and asks further replicas. */
    void hedged() {
        hedges.increment();
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

    @Override
    public Operations linearizable() {
        return linearizable;
    }

    /** Writes with a timestamp above all that a majority has; a null value deletes. */
    void writeAboveAll(
            byte[] key,
            byte @Nullable [] value,
            @Nullable Duration timeToLive,
            QuorumSpec spec,
            OutcomeCallback callback) {
        read(
                key,
                spec,
                new WriteAboveAll(this, key, value, timeToLive, spec, deadlineNanos(), callback));
    }

    /**
     * Writes with a timestamp above one that was found.
     *
     * @param newest null if there is none
     * @param earlier what replicas were asked to find it, where that is to be told
     */
    void writeAbove(
            @Nullable Timestamp newest,
            byte[] key,
            byte @Nullable [] value,
            @Nullable Duration timeToLive,
            QuorumSpec spec,
            long deadlineNanos,
            List<Explanation.Round> earlier,
            OutcomeCallback callback) {
        if (!begin(writes, callback)) {
            return;
        }
        if (newest != null && !clock.observe(newest)) {
            refuse(writes, "what the key holds is ahead of this node's clock", callback);
            return;
        }
        Timestamp timestamp = clock.next();
        if (timestamp == null) {
            refuse(writes, "the clock's bound on disk is not renewed in time", callback);
            return;
        }
        Entry entry = entry(key, value, timeToLive, timestamp, spec);
        long nowNanos = nanos();
        Replica[] asked = replicasOf(key, spec, nowNanos);
        ReplicaRequest.Write write = new ReplicaRequest.Write(entry);
        new WriteOperation(this, spec, asked, write, nowNanos, deadlineNanos, 0, earlier, callback)
                .start();
    }

    private static Entry entry(
            byte[] key,
            byte @Nullable [] value,
            @Nullable Duration timeToLive,
            Timestamp timestamp,
            QuorumSpec spec) {
        if (value == null) {
            return Entry.tombstone(key, timestamp, spec.from());
        }
        if (timeToLive == null) {
            return Entry.value(key, timestamp, value, spec.from());
        }
        long expiresAtMillis = timestamp.wallMillis() + timeToLive.toMillis();
        return Entry.expiring(key, timestamp, value, spec.from(), expiresAtMillis);
    }

    private void write(
            byte[] key,
            byte @Nullable [] value,
            @Nullable Duration timeToLive,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        if (version != null) {
            if (clock.observeFromClient(version)) {
                Entry entry = entry(key, value, timeToLive, version, spec);
                read(key, spec, new WriteUnlessTaken(this, entry, spec, deadlineNanos(), callback));
            } else {
                callback.completed(notYet(version));
            }
            return;
        }
        if (!begin(writes, callback)) {
            return;
        }
        Timestamp timestamp = clock.next();
        if (timestamp == null) {
            refuse(writes, "the clock's bound on disk is not renewed in time", callback);
            return;
        }
        Entry entry = entry(key, value, timeToLive, timestamp, spec);
        long nowNanos = nanos();
        new WriteOperation(
                        this,
                        spec,
                        replicasOf(key, spec, nowNanos),
                        new ReplicaRequest.Write(entry),
                        nowNanos,
                        nowNanos + timeoutNanos,
                        RESTAMPS,
                        List.of(),
                        callback)
                .start();
    }

    /** The version is ahead of this node's clock. */
    private Outcome notYet(Timestamp version) {
        refused.increment();
        long aheadMillis = clock.aheadMillis(version.hybrid());
        return aheadMillis > clock.maxAheadMillis()
                ? new Outcome.TooFarAhead(version, aheadMillis)
                : refusal("the version is ahead of this node's clock");
    }

    /** Writes under the version that the client gave, which is not known to be another write's. */
    void writeGiven(
            Entry entry,
            QuorumSpec spec,
            long deadlineNanos,
            List<Explanation.Round> earlier,
            OutcomeCallback callback) {
        if (!begin(writes, callback)) {
            return;
        }
        long nowNanos = nanos();
        new WriteOperation(
                        this,
                        spec,
                        replicasOf(entry.key(), spec, nowNanos),
                        new ReplicaRequest.Write(entry, ReplicaRequest.Origin.GIVEN),
                        nowNanos,
                        deadlineNanos,
                        0,
                        earlier,
                        callback)
                .start();
    }

    /** A write is over before it was made: its version is another's. */
    void versionTaken(Timestamp version, OutcomeCallback callback) {
        noteTaken(version);
        callback.completed(new Outcome.VersionTaken(version, Explanation.NONE));
    }

    /** Tells of the first, and of one in a while: clients could fill the log with it. */
    private void noteTaken(Timestamp version) {
        versionsTaken.increment();
        if (versionsTaken.sum() % TAKEN_TO_A_LINE == 1) {
            LOG.warn("The version {} was sent with two different writes: one is refused", version);
        }
    }

    /** Sends a write again under a timestamp later than {@code seen}. */
    void restamp(WriteOperation write, Timestamp seen) {
        if (!clock.observe(seen)) {
            write.finishSuperseded(seen + " is too far ahead of this node's clock");
            return;
        }
        Timestamp timestamp = clock.next();
        if (timestamp == null) {
            write.finishSuperseded("the clock's bound on disk is not renewed in time");
            return;
        }
        restamped.increment();
        write.stampedAnew(timestamp).start();
    }

    @Override
    public ScanStream scan(byte[] start, byte @Nullable [] end, QuorumSpec spec, ScanScope scope) {
        if (openScans.incrementAndGet() > options.maxScans()) {
            openScans.decrementAndGet();
            return refusedScan(Failure.OVERLOADED, "too many ranges are open");
        }
        if (draining) {
            openScans.decrementAndGet();
            return refusedScan(Failure.STOPPING, "stopping");
        }
        Range range = new Range(start, end);
        return switch (scope) {
            case NODE -> new RangeScan(this, range, List.of(local), new OneReplica(local.member()));
            case CLUSTER ->
                    new RangeScan(this, range, replicas.values(), new QuorumOfEach(selector, spec));
        };
    }

    private ScanStream refusedScan(Failure reason, String why) {
        refused.increment();
        return new RefusedScan(new ReplicaFailure(memberName(), reason, why));
    }

    /** Which ranges hold pages. */
    PageTurns pageTurns() {
        return pageTurns;
    }

    void scanClosed() {
        openScans.decrementAndGet();
    }

    /** The deadline of a page asked for now, in {@code Ticker.nanos} time. */
    long deadlineNanos() {
        return nanos() + timeoutNanos;
    }

    /** A clock for durations: {@code Ticker.nanos}. */
    long nanos() {
        return ticker.nanos();
    }

    /** The most bytes of one page, if a scan holds a page of each of so many replicas. */
    int pageBytes(int sources) {
        return Math.min(options.pageBytes(), Math.max(MAX_SCAN_BYTES / sources, 1));
    }

    /** Takes one more operation under way, or refuses it. */
    private boolean begin(Admission admission, OutcomeCallback callback) {
        if (!admission.tryBegin()) {
            refused.increment();
            callback.completed(TOO_MUCH);
            return false;
        }
        if (draining) {
            refuse(admission, "stopping", callback);
            return false;
        }
        return true;
    }

    /** An operation is over that has asked nobody. */
    private void refuse(Admission admission, String reason, OutcomeCallback callback) {
        finished(admission, refusal(reason), callback, null);
    }

    /**
     * A read is over.
     *
     * @param explanation not null if the callback {@linkplain OutcomeCallback#isExplained wants it}
     *     and replicas were asked
     */
    void readFinished(
            Outcome outcome, OutcomeCallback callback, @Nullable Explanation explanation) {
        finished(reads, outcome, callback, explanation);
    }

    /** A write is over; as the other. */
    void writeFinished(
            Outcome outcome, OutcomeCallback callback, @Nullable Explanation explanation) {
        finished(writes, outcome, callback, explanation);
    }

    private void finished(
            Admission admission,
            Outcome outcome,
            OutcomeCallback callback,
            @Nullable Explanation explanation) {
        admission.end();
        switch (outcome) {
            case Outcome.QuorumFailed failed ->
                    (failed.timestamp() == null ? readQuorumFailures : writeQuorumFailures)
                            .increment();
            case Outcome.Refused refusal -> refused.increment();
            case Outcome.Found found -> {}
            case Outcome.Missing missing -> {}
            case Outcome.Written written -> {}
            case Outcome.TooOld tooOld -> {}
            case Outcome.VersionTaken taken -> noteTaken(taken.timestamp());
            case Outcome.TooFarAhead ahead -> {}
        }
        if (explanation != null && callback.isExplained()) {
            callback.completed(outcome, explanation);
        } else {
            callback.completed(outcome);
        }
    }

    @Override
    public boolean refusesNow(boolean isWrite) {
        boolean refuses = !(isWrite ? writes : reads).hasRoom();
        if (refuses) {
            refused.increment();
        }
        return refuses;
    }

    /** To be called every {@link #ADMISSION_TICK}, by one thread at a time. */
    public void tick() {
        reads.tick();
        writes.tick();
    }

    /** Who wants to know of replicas that lack what was written. */
    MissedWrites missedWrites() {
        return missedWrites;
    }

    /** What reads take the memory for values from. */
    ByteBudget largeValues() {
        return largeValues;
    }

    static Outcome.Refused refusal(String reason) {
        return new Outcome.Refused(reason, RETRY_AFTER_SECONDS);
    }

    /**
     * The replicas of a key, in the order in which they are asked: the local one first, and last
     * those that keep somebody waiting as it is; otherwise the ring's. Peers whose answers are late
     * are asked where there are not enough others.
     */
    private Replica[] replicasOf(byte[] key, QuorumSpec spec, long nowNanos) {
        List<Member> members = selector.replicas(key, spec.from());
        Replica[] ordered = new Replica[members.size()];
        int first = 0;
        int last = ordered.length;
        int givenUp = 0;
        for (int i = 0; i < ordered.length; i++) {
            String name = members.get(i).name();
            Replica replica = Objects.requireNonNull(replicas.get(name));
            if (name.equals(memberName())) {
                System.arraycopy(ordered, 0, ordered, 1, first++);
                ordered[0] = local;
            } else if (replica.keepsWaiting(nowNanos, lateReads.nanos())) {
                ordered[--last] = replica;
            } else {
                ordered[first++] = replica;
            }
            givenUp += replica.isGivenUp() ? 1 : 0;
        }
        if (ordered.length - givenUp < spec.ack()) {
            for (int i = 0; i < ordered.length; i++) {
                ordered[i] = ordered[i].evenIfLate();
            }
        }
        return ordered;
    }

    /** The first {@code from} replicas of a key, in the ring's order. */
    List<Replica> owners(byte[] key, int from) {
        List<Replica> owners = new ArrayList<>();
        for (Member member : selector.replicas(key, from)) {
            owners.add(replicas.get(member.name()));
        }
        return owners;
    }

    String memberName() {
        return local.member().name();
    }

    long wallMillis() {
        return ticker.wallMillis();
    }

    /** From now on, refuses what is new. What is under way goes on. */
    public void drain() {
        draining = true;
    }

    /** Counters, and what is under way now. */
    public CoordinatorStatistics statistics() {
        return new CoordinatorStatistics(
                reads.underway() + writes.underway(),
                reads.limit(),
                writes.limit(),
                openScans.get(),
                readQuorumFailures.sum(),
                writeQuorumFailures.sum(),
                refused.sum(),
                restamped.sum(),
                readRepairs.sum(),
                hedges.sum(),
                laterLooks.taken(),
                laterLooks.forgotten(),
                versionsTaken.sum());
    }
}
