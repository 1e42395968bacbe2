package dev.quorate.router.coordinator.range;

import dev.quorate.router.coordinator.operation.CoordinatorOptions;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.Outcome.ReplicaFailure;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.Resolver;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.coordinator.readwrite.Reads;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Opens ranges, up to a limit. */
public final class Scans {

    /**
     * Maximum bytes of the pages of one range. By default, all ranges with pages together take at
     * most an eighth of the heap.
     */
    private static final int MAX_SCAN_BYTES =
            (int) Math.min(8 << 20, Runtime.getRuntime().maxMemory() / 128);

    private final OperationContext context;
    private final CoordinatorOptions options;
    private final Reads reads;
    private final ScanMemoryLimiter memory;
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean draining;

    public Scans(OperationContext context, CoordinatorOptions options, Reads reads) {
        this.context = context;
        this.reads = reads;
        this.options = options;
        this.memory = new ScanMemoryLimiter(options.pagingScans());
    }

    public ScanStream open(
            ScanRange range, QuorumSpec spec, ScanScope scope, @Nullable TraceParent trace) {
        if (open.incrementAndGet() > options.maxScans()) {
            return refused(Failure.OVERLOADED, "too many ranges are open");
        }
        if (draining) {
            return refused(Failure.STOPPING, "stopping");
        }
        Replica local = context.view().local();
        return switch (scope) {
            case NODE ->
                    scan(
                            range,
                            trace,
                            view -> new OneReplica(local),
                            (key, callback) -> read(local, key, callback));
            case CLUSTER ->
                    scan(
                            range,
                            trace,
                            view -> new QuorumOfEach(view, spec),
                            (key, callback) -> reads.read(key, spec, callback));
        };
    }

    /** Reads this node's entry of a key. */
    private void read(Replica local, byte[] key, OutcomeCallback callback) {
        local.ask(
                new ReplicaRequest.Read(key),
                context.deadlineNanos(),
                answer ->
                        callback.completed(
                                switch (answer) {
                                    case ReplicaAnswer.Found(Entry found)
                                            when Resolver.isLive(found, context.wallMillis()) ->
                                            inRoom(found, callback);
                                    case ReplicaAnswer.Found expired -> new Outcome.Missing(null);
                                    case ReplicaAnswer.Absent absent -> new Outcome.Missing(null);
                                    case ReplicaAnswer other ->
                                            Outcome.Refused.forNow(other.failure().detail());
                                }));
    }

    private Outcome inRoom(Entry found, OutcomeCallback callback) {
        if (!context.values().tryTake(found.valueBytes())) {
            return Outcome.Refused.forNow("not enough memory for this value");
        }
        callback.acceptRoom(context.values().transfer(found.valueBytes()));
        return new Outcome.Found(found);
    }

    private RangeScan scan(
            ScanRange range,
            @Nullable TraceParent trace,
            Function<View, ScanRule> rules,
            BiConsumer<byte[], OutcomeCallback> longValues) {
        int replicas = rules.apply(context.view()).replicas().size();
        int pageBytes = Math.min(options.pageBytes(), Math.max(MAX_SCAN_BYTES / replicas, 1));
        return new RangeScan(
                context,
                range,
                trace,
                rules,
                longValues,
                new RangeScan.Bounds(memory, pageBytes, open::decrementAndGet));
    }

    private ScanStream refused(Failure reason, String why) {
        open.decrementAndGet();
        context.counters().refused.increment();
        String local = context.view().local().name();
        return new RefusedScan(new ReplicaFailure(local, reason, why));
    }

    public int open() {
        return open.get();
    }

    /** Refuses new ranges from now on; open ones continue. */
    public void drain() {
        draining = true;
    }

    /** The entries of one member's store, whether it owns them or not. */
    private record OneReplica(Replica local) implements ScanRule {

        @Override
        public Collection<Replica> replicas() {
            return List.of(local);
        }

        @Override
        public boolean isCompleteWithout(Set<String> downMembers) {
            return downMembers.isEmpty();
        }

        @Override
        public List<Member> counting(byte[] key) {
            return List.of(local.member());
        }
    }

    /** For each key, as many of its first {@code from} replicas as the quorum needs. */
    private record QuorumOfEach(View view, QuorumSpec spec) implements ScanRule {

        @Override
        public Collection<Replica> replicas() {
            return view.all();
        }

        @Override
        public boolean isCompleteWithout(Set<String> downMembers) {
            return view.placement().everyRangeReaches(spec, downMembers);
        }

        @Override
        public List<Member> counting(byte[] key) {
            return view.placement().owners(key, spec);
        }

        @Override
        public int from(byte[] key) {
            return spec.from();
        }
    }

    /** A range read that was refused. */
    private record RefusedScan(ReplicaFailure failure) implements ScanStream {

        @Override
        public void next(ScanCallback callback) {
            Explanation explanation =
                    new Explanation(
                            List.of("no replica was asked: " + failure.detail()), List.of());
            callback.failed(
                    new Outcome.QuorumFailed(null, List.of(), List.of(failure), explanation));
        }

        @Override
        public void close() {}
    }
}
