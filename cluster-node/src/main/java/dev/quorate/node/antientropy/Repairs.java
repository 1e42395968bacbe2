package dev.quorate.node.antientropy;

import dev.quorate.node.antientropy.PeerRepairStatus.Phase;
import dev.quorate.node.membership.MemberProgress;
import dev.quorate.node.membership.RepairRounds;
import dev.quorate.router.background.EntryWriter;
import dev.quorate.router.background.JobDriver;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Pace;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.KeyValueStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Repairs this node's entries with those of each peer, periodically or on request. A few peers are
 * compared at a time, in one {@link SharedWalk}. Requests that arrive during a running round are
 * coalesced into it.
 */
public final class Repairs implements RepairRounds, AutoCloseable {

    /** How long an entry may be in transit. */
    public static final Duration LONGEST_TRANSFER = JobDriver.DEADLINE;

    private static final double NANOS_PER_SECOND = 1e9;

    /** How many repairs run at once; the messages of one take up to about 2 MiB. */
    private static final int MAX_RUNNING = 8;

    private final Supplier<List<Replica>> peers;
    private final MemberProgress members;
    private final LivePlacement placement;
    private final Options options;
    private final Replica local;
    private final KeyValueStore store;
    private final JobDriver.Means means;
    private final RandomGenerator random;
    private final Ticker ticker;
    private final EventLog events;
    private final Scheduler scheduler;
    private final long madeNanos;

    // Guarded by this; only the scheduler is called with it held.
    private final Map<String, PeerRepairStatus> last = new LinkedHashMap<>();
    private final Map<String, Long> completeSinceNanos = new HashMap<>();
    private final Deque<String> toDo = new ArrayDeque<>();
    private final List<RunningRepair> current = new ArrayList<>();
    private long round;
    private boolean running;
    private boolean closed;
    private Shared shared;
    private Scheduler.Cancellable timer = () -> {};
    private Set<String> agreedWith = new HashSet<>();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /**
     * @param peers returns every other member, asked in the repair lane
     * @param local this node
     * @param members the members' states
     */
    public Repairs(
            Supplier<List<Replica>> peers,
            Replica local,
            KeyValueStore store,
            LivePlacement placement,
            MemberProgress members,
            Options options,
            NodeRuntime runtime) {
        this.peers = peers;
        this.placement = placement;
        this.members = members;
        this.options = options;
        this.scheduler = runtime.scheduler();
        this.random = runtime.random();
        this.ticker = runtime.ticker();
        this.events = runtime.events();
        this.madeNanos = ticker.nanos();
        this.shared = newShared();
        this.local = local;
        this.store = store;
        this.means = new JobDriver.Means(runtime, EntryWriter.to(local), runtime.serial());
    }

    /** Starts periodic repairs, the first at a random time within the interval. */
    public void start() {
        if (options.interval().isPositive()) {
            schedule(random.nextDouble());
        }
    }

    /** Random, because the nodes of a cluster start together, and must not repair together. */
    private synchronized void schedule(double part) {
        if (!closed) {
            timer =
                    scheduler.after(
                            Duration.ofNanos((long) (options.interval().toNanos() * part)),
                            () -> {
                                begin();
                                schedule(0.9 + 0.2 * random.nextDouble());
                            });
        }
    }

    @Override
    public void whenRoundEnds(Listener listener) {
        listeners.add(listener);
    }

    @Override
    public synchronized long lastRound() {
        return round;
    }

    /**
     * Begins a round with all peers, unless one is running.
     *
     * @return its number
     */
    public long begin() {
        return begin(peers.get().stream().map(Replica::name).toList());
    }

    @Override
    public long begin(Collection<String> with) {
        long begun;
        Shared next = newShared();
        synchronized (this) {
            if (closed || running) {
                return round;
            }
            running = true;
            begun = ++round;
            shared = next;
            List<String> names = new ArrayList<>(with);
            while (!names.isEmpty()) {
                String name = names.remove(random.nextInt(names.size()));
                toDo.add(name);
                last.put(name, lastOf(name).waiting());
            }
        }
        next();
        return begun;
    }

    /** Starts the next repairs, or ends the round with the last. */
    private void next() {
        List<RunningRepair> starting = new ArrayList<>();
        long ended;
        boolean isOver;
        Set<String> agreed = Set.of();
        synchronized (this) {
            ended = round;
            while (!closed && current.size() < MAX_RUNNING) {
                Replica peer = nextPeer();
                if (peer == null) {
                    break;
                }
                RunningRepair repair = repairWith(peer);
                starting.add(repair);
                current.add(repair);
            }
            isOver = current.isEmpty();
            running = !isOver;
            if (isOver) {
                agreed = agreedWith;
                agreedWith = new HashSet<>();
            }
        }
        starting.forEach(each -> each.driver.start());
        if (isOver) {
            for (Listener listener : listeners) {
                listener.ended(ended, agreed);
            }
        }
    }

    /** The next member to compare with, unless it has left the cluster. */
    private @Nullable Replica nextPeer() {
        List<Replica> members = peers.get();
        for (String name = toDo.poll(); name != null; name = toDo.poll()) {
            for (Replica peer : members) {
                if (peer.name().equals(name)) {
                    return peer;
                }
            }
        }
        return null;
    }

    private PeerRepairStatus lastOf(String name) {
        return last.getOrDefault(name, PeerRepairStatus.none(name));
    }

    private RunningRepair repairWith(Replica peer) {
        Placement placed = placement.current();
        CommonOwnership ownership = new CommonOwnership(placed, local.member(), peer.member());
        int self = local.member().number();
        RangeReader reader = new RangeReader(store, ownership, ticker, shared.salt());
        PeerRepair repair =
                new PeerRepair(
                        self,
                        peer,
                        ownership,
                        members,
                        reader,
                        new Comparison(reader, shared.walk(), self, shared.salt()),
                        ticker.wallMillis());
        return new RunningRepair(repair, placed.topology(), peer);
    }

    private final class RunningRepair implements JobDriver.Owner {

        private final PeerRepair repair;
        private final Topology topology;
        private final int peer;
        private final PeerRepairStatus before;
        private final long startedNanos = ticker.nanos();
        private final JobDriver<PeerRepair.Exchange> driver;
        private volatile PeerRepairStatus published;

        RunningRepair(PeerRepair repair, Topology topology, Replica peer) {
            this.repair = repair;
            this.topology = topology;
            this.peer = peer.member().number();
            this.before = lastOf(peer.name());
            this.driver = new JobDriver<>(means, repair, shared.pace(), this);
            this.published = repair.status(before, 0, 0);
        }

        @Override
        public void moved() {
            if (!placement.current().topology().placesLike(topology)) {
                repair.endWithItsEpoch();
            }
            published = repair.status(before, driver.messageBytes(), ticker.nanos() - startedNanos);
        }

        @Override
        public void ended(@Nullable RuntimeException bug) {
            if (bug != null) {
                repair.failed(bug);
                moved();
            }
            Repairs.this.ended(this);
        }
    }

    /**
     * What the repairs of a round share.
     *
     * @param pace limits the bytes of all of them together
     */
    private record Shared(SharedWalk walk, Pace pace, int salt) {}

    /** The limit differs for a member that needs the data of others. */
    private Shared newShared() {
        long bytesPerSecond =
                members.needsData() ? options.rebuildBytesPerSecond() : options.bytesPerSecond();
        return new Shared(
                new SharedWalk(), new Pace(bytesPerSecond, ticker.nanos()), random.nextInt());
    }

    private void ended(RunningRepair ended) {
        PeerRepairStatus status = ended.published;
        if (status.phase() == Phase.AGREED) {
            members.agreed(ended.peer, ended.repair.startedMillis(), ended.topology.epoch());
        }
        ended.repair.leave();
        synchronized (this) {
            current.remove(ended);
            last.put(status.peer(), status);
            if (status.phase() == Phase.AGREED) {
                agreedWith.add(status.peer());
                completeSinceNanos.put(status.peer(), ended.startedNanos);
            }
        }
        report(status);
        next();
    }

    private void report(PeerRepairStatus status) {
        if (status.phase() != Phase.AGREED) {
            events.warn(
                    "The repair with %s is not complete: %s"
                            .formatted(status.peer(), status.detail()));
        } else if (status.pushed() + status.pulled() > 0) {
            events.info(
                    "A repair with %s found keys that differ: %d; entries sent: %d, fetched: %d"
                            .formatted(
                                    status.peer(),
                                    status.differing(),
                                    status.pushed(),
                                    status.pulled()));
        }
    }

    /** The status of the running round, or of the last one. */
    public synchronized Status status() {
        List<PeerRepairStatus> all = new ArrayList<>();
        for (Replica peer : peers.get()) {
            PeerRepairStatus latest = lastOf(peer.name());
            for (RunningRepair each : current) {
                latest = each.published.peer().equals(peer.name()) ? each.published : latest;
            }
            long sinceNanos = completeSinceNanos.getOrDefault(peer.name(), madeNanos);
            all.add(latest.withAge((ticker.nanos() - sinceNanos) / NANOS_PER_SECOND));
        }
        return new Status(round, running, all);
    }

    /** Cancels the repair in progress, and all further ones. */
    @Override
    public void close() {
        List<RunningRepair> underWay;
        synchronized (this) {
            closed = true;
            timer.cancel();
            toDo.clear();
            underWay = List.copyOf(current);
        }
        underWay.forEach(each -> each.driver.cancel());
    }

    /**
     * The status of this node's repairs.
     *
     * @param round the number of the current or last round, from 1; 0 if there was none since the
     *     start
     * @param running whether this round is in progress
     * @param peers the status of each peer, in the order of the topology
     */
    public record Status(long round, boolean running, List<PeerRepairStatus> peers) {
        public Status {
            peers = List.copyOf(peers);
        }

        /** Whether the last round has ended, and this node has the same entries as each peer. */
        public boolean agreed() {
            return round > 0
                    && !running
                    && peers.stream().allMatch(peer -> peer.phase() == Phase.AGREED);
        }
    }

    /**
     * The options of repairs.
     *
     * @param interval the time between two repairs with all peers; zero repairs only on request.
     *     With a longer interval replicas differ for longer. The default is one hour.
     * @param bytesPerSecond maximum bytes of entries read, and of messages, per second; 0 for no
     *     limit. A higher limit slows other work. The default is 16 MiB.
     * @param rebuildBytesPerSecond the same while the node rebuilds, or gains keys. The default is
     *     64 MiB.
     */
    public record Options(Duration interval, long bytesPerSecond, long rebuildBytesPerSecond) {
        public Options {
            if (interval.isNegative() || bytesPerSecond < 0 || rebuildBytesPerSecond < 0) {
                throw new IllegalArgumentException(
                        "interval and bytesPerSecond must not be negative: "
                                + interval
                                + ", "
                                + bytesPerSecond);
            }
        }
    }
}
