package dev.quorate.router.coordinator;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.coordinator.operation.ClusterReplicas;
import dev.quorate.router.coordinator.operation.CoordinatorOptions;
import dev.quorate.router.coordinator.operation.HintSink;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.replica.Horizon;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.MemberServices;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Lookup;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Nodes in one process, on simulated time: real coordinators, real local replicas, stores in
 * memory, and a network that does what it is told.
 */
public final class SimulatedCluster {

    static final Duration MAX_AHEAD = Duration.ofMillis(500);

    /** What becomes of a message to a node. */
    enum Condition {
        /** It arrives, and is answered. */
        UP,
        /** The connection is refused at once. */
        DOWN,
        /** It is lost, and the asker's deadline passes. */
        DEAF,
        /** It arrives, but the answer is lost. */
        MUTE,
        /** It arrives, but there is no room for the answer. */
        CROWDED
    }

    final ManualTime time = new ManualTime();
    final Topology topology;
    final Ring ring;
    final List<Node> nodes = new ArrayList<>();

    /** How long each message takes, in nanoseconds; 0 is answered within the call. */
    LongSupplier delayNanos = () -> 0;

    /** Which replica was told to have missed what, by any coordinator. */
    final List<Missed> missed = new ArrayList<>();

    /** What all coordinators together may hold of large values. */
    final ByteBudget largeValues = new ByteBudget((1L << 30) + (1 << 20)).part(1L << 30);

    private final HintSink missedWrites =
            new HintSink() {
                @Override
                public void missed(Member member, Entry entry) {
                    missed.add(new Missed(member.name(), entry));
                }

                @Override
                public boolean isKept(Member member, Entry entry) {
                    return true;
                }
            };

    /** A replica, and a write that it lacks. */
    record Missed(String member, Entry entry) {}

    /** Whether each answer comes twice. */
    boolean answersTwice;

    /** The figures that a coordinator registers. */
    public static Figures figuresOfACoordinator() {
        return new SimulatedCluster(1).nodes.getFirst().coordinator.figures();
    }

    SimulatedCluster(int size) {
        this(size, CoordinatorOptions.forTimeout(Duration.ofSeconds(2)));
    }

    SimulatedCluster(int size, CoordinatorOptions options) {
        List<Member> members = new ArrayList<>();
        for (int i = 1; i <= size; i++) {
            members.add(new Member("n" + i, URI.create("http://localhost:" + (8080 + i))));
        }
        topology = new Topology(members);
        ring = new Ring(topology);
        for (Member member : topology.members()) {
            nodes.add(new Node(member));
        }
        for (Node node : nodes) {
            node.coordinator = coordinator(node, options);
        }
    }

    private Coordinator coordinator(Node node, CoordinatorOptions options) {
        List<Replica> remote = new ArrayList<>();
        for (Node other : nodes) {
            if (other != node) {
                remote.add(new Link(node, other));
            }
        }
        return new Coordinator(
                new ClusterReplicas(node.live, ring, node.replica, () -> remote),
                node.clock,
                new NodeRuntime(node, time, new Random(1), Runnable::run),
                new Deadlines(node, time),
                options,
                largeValues,
                missedWrites);
    }

    /** The nodes that hold a key, in the order in which {@code coordinator} asks them. */
    List<Node> asked(byte[] key, int from, Node coordinator) {
        List<Node> asked = new ArrayList<>();
        for (Member member : ring.replicas(key, from)) {
            Node node = nodes.get(topology.members().indexOf(member));
            asked.add(node == coordinator ? 0 : asked.size(), node);
        }
        return asked;
    }

    static void hold(@Nullable Entry entry, Node... nodes) {
        if (entry != null) {
            for (Node node : nodes) {
                node.hold(entry);
            }
        }
    }

    /** One node, which is its own ticker: its wall clock may be wrong. */
    final class Node implements Ticker, Horizon {
        final Member member;
        final LiveTopology live = new LiveTopology(topology);
        final MemoryStore store = new MemoryStore();
        final MemoryStore records = new MemoryStore();
        final HybridClock clock;
        final LocalReplica replica;
        Coordinator coordinator;
        Condition condition = Condition.UP;

        /** What the way to it says in its place; null if it is asked. */
        @Nullable Failed failure;

        long skewMillis;

        /** How long a message to or from it takes on top of the cluster's delay. */
        long slowNanos;

        /** Whether others are told that it keeps somebody waiting. */
        boolean isSlow;

        /** How often it was asked, by others than itself. */
        int timesAsked;

        /** What for. */
        final List<ReplicaRequest> requests = new ArrayList<>();

        /** Called before a request of another node arrives. */
        Consumer<ReplicaRequest> whenAsked = request -> {};

        /** From before that moment it takes no client's writes. */
        long oldestWriteMillis;

        Node(Member member) {
            this.member = member;
            this.clock = HybridClock.volatileClock(this, member.number(), MAX_AHEAD);
            this.replica =
                    new LocalReplica(
                                    member,
                                    store,
                                    clock,
                                    this,
                                    new Deadlines(this, time),
                                    Runnable::run,
                                    new MemberServices(
                                            Runnable::run,
                                            PlainReplica.NO_PEERS,
                                            key ->
                                                    new Failed(
                                                            Failure.REFUSED,
                                                            "nothing is inquired here"),
                                            this))
                            .withRecords(
                                    records,
                                    MemoryStore.both(records, store),
                                    Duration.ofHours(4),
                                    Duration.ofSeconds(1),
                                    live);
        }

        /** Writes an entry past everything but its store. */
        void hold(Entry entry) {
            store.put(entry);
        }

        @Nullable Entry held(byte[] key) {
            return store.lookup(key) instanceof Lookup.Found(Entry entry) ? entry : null;
        }

        @Override
        public long wallMillis() {
            return time.wallMillis() + skewMillis;
        }

        @Override
        public long nanos() {
            return time.nanos();
        }

        @Override
        public long gcWatermarkMillis() {
            return 0;
        }

        @Override
        public long oldestWriteMillis(long nowMillis) {
            return oldestWriteMillis;
        }

        @Override
        public String toString() {
            return member.name() + (condition == Condition.UP ? "" : " " + condition);
        }
    }

    /** The way from one node to another. */
    private final class Link implements Replica {

        private final Node from;
        private final Node to;

        Link(Node from, Node to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public Member member() {
            return to.member;
        }

        @Override
        public boolean isSlow(long nowNanos, long longerThanNanos) {
            return to.isSlow;
        }

        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            to.timesAsked++;
            TraceParent trace = callback.trace();
            to.requests.add(trace == null ? request : new ReplicaRequest.Traced(trace, request));
            to.whenAsked.accept(request);
            Failed failure = to.failure;
            if (failure != null) {
                callback.answered(failure);
                return;
            }
            if (to.condition == Condition.DOWN) {
                callback.answered(new Failed(Failure.UNREACHABLE, "down"));
                return;
            }
            AtomicBoolean answered = new AtomicBoolean();
            AnswerCallback once =
                    answer -> {
                        if (answered.compareAndSet(false, true)) {
                            callback.answered(answer);
                            if (answersTwice) {
                                callback.answered(answer);
                            }
                        }
                    };
            boolean arrives = to.condition != Condition.DEAF;
            long sentClock = from.clock.reading();
            if (arrives) {
                Topology planned = callback.topology();
                later(() -> arrive(request, deadlineNanos, sentClock, planned, once));
            }
            if (!answered.get()) {
                time.after(
                        Duration.ofNanos(deadlineNanos - time.nanos()),
                        () -> once.answered(new Failed(Failure.TIMEOUT, "no answer")));
            }
        }

        private void arrive(
                ReplicaRequest request,
                long deadlineNanos,
                long clock,
                @Nullable Topology planned,
                AnswerCallback callback) {
            if (!to.clock.observe(clock)) {
                answer(new Failed(Failure.REFUSED, "clock"), callback);
                return;
            }
            to.replica.ask(
                    request, deadlineNanos, answer -> answer(inEpoch(planned, answer), callback));
        }

        /** What the transport makes of an answer of a node that is in another epoch. */
        private ReplicaAnswer inEpoch(@Nullable Topology planned, ReplicaAnswer answer) {
            return planned == null || planned.equals(to.live.current())
                    ? answer
                    : new Failed(Failure.STALE, "another epoch");
        }

        private void answer(ReplicaAnswer given, AnswerCallback callback) {
            long clock = to.clock.reading();
            ReplicaAnswer answer =
                    to.condition == Condition.CROWDED
                            ? new Failed(Failure.OVERLOADED, "no room")
                            : given;
            if (to.condition != Condition.MUTE) {
                later(
                        () -> {
                            if (from.clock.observe(clock)) {
                                callback.answered(answer);
                            } else {
                                callback.answered(new Failed(Failure.FAILED, "clock"));
                            }
                        });
            }
        }

        private void later(Runnable action) {
            long delay = delayNanos.getAsLong() + to.slowNanos;
            if (delay == 0) {
                action.run();
            } else {
                time.after(Duration.ofNanos(delay), action);
            }
        }
    }
}
