package dev.quorate.node.antientropy;

import dev.quorate.node.antientropy.PeerRepairStatus.Phase;
import dev.quorate.node.clock.Scheduler;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.storage.KeyValueStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs this node's entries with those of each peer, one peer after the other: now and then by
 * itself, or when told. Of several that are told while one is under way only that one happens, so
 * telling it often does no harm.
 */
public final class Repairs implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Repairs.class);

    private static final double NANOS_PER_SECOND = 1e9;

    private final Map<String, Replica> peers = new LinkedHashMap<>();
    private final ReplicaSelector selector;
    private final RepairOptions options;
    private final PeerRepair.Surroundings surroundings;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final Ticker ticker;
    private final long madeNanos;

    // Guarded by this, and nothing is called under it.
    private final Map<String, PeerRepairStatus> last = new LinkedHashMap<>();
    private final Map<String, Long> completeSinceNanos = new HashMap<>();
    private final Deque<String> toDo = new ArrayDeque<>();
    private @Nullable PeerRepair current;
    private long round;
    private boolean running;
    private boolean closed;
    private Scheduler.Cancellable timer = () -> {};

    /**
     * @param peers every other member, asked in a lane where nobody waits for it
     * @param local this node
     * @param blocking where reads may wait for the disk; may reject
     * @param random spreads the nodes' repairs, and salts their sums
     */
    public Repairs(
            List<Replica> peers,
            Replica local,
            KeyValueStore store,
            ReplicaSelector selector,
            RepairOptions options,
            Ticker ticker,
            Scheduler scheduler,
            Executor blocking,
            RandomGenerator random) {
        this.selector = selector;
        this.options = options;
        this.scheduler = scheduler;
        this.random = random;
        this.ticker = ticker;
        this.madeNanos = ticker.nanos();
        this.surroundings =
                new PeerRepair.Surroundings(
                        store,
                        local,
                        ticker,
                        scheduler,
                        new Serial(blocking, scheduler, Integer.MAX_VALUE),
                        options.bytesPerSecond());
        for (Replica peer : peers) {
            String name = peer.member().name();
            this.peers.put(name, peer);
            last.put(name, PeerRepairStatus.none(name));
        }
    }

    /** From now on it repairs by itself, first at some time within the interval. */
    public void start() {
        if (options.interval().isPositive() && !peers.isEmpty()) {
            schedule(random.nextDouble());
        }
    }

    /** The nodes of a cluster start together, and are not to repair together. */
    private void schedule(double part) {
        Duration delay = Duration.ofNanos((long) (options.interval().toNanos() * part));
        Scheduler.Cancellable next =
                scheduler.after(
                        delay,
                        () -> {
                            begin();
                            schedule(0.9 + 0.2 * random.nextDouble());
                        });
        synchronized (this) {
            if (closed) {
                next.cancel();
            }
            timer = next;
        }
    }

    /**
     * Begins a round with all peers, unless one is under way.
     *
     * @return its number
     */
    public long begin() {
        long begun;
        synchronized (this) {
            if (closed || running) {
                return round;
            }
            running = true;
            begun = ++round;
            List<String> names = new ArrayList<>(peers.keySet());
            while (!names.isEmpty()) {
                String name = names.remove(random.nextInt(names.size()));
                toDo.add(name);
                last.computeIfPresent(name, (peer, status) -> status.waiting());
            }
        }
        next();
        return begun;
    }

    private void next() {
        PeerRepair repair;
        synchronized (this) {
            String name = closed ? null : toDo.poll();
            if (name == null) {
                running = false;
                current = null;
                return;
            }
            Replica peer = Objects.requireNonNull(peers.get(name));
            repair =
                    new PeerRepair(
                            surroundings,
                            peer,
                            new Shared(selector, surroundings.local().member(), peer.member()),
                            random.nextInt(),
                            Objects.requireNonNull(last.get(name)),
                            this::ended);
            current = repair;
        }
        repair.start();
    }

    private void ended(PeerRepair repair) {
        PeerRepairStatus status = repair.status();
        synchronized (this) {
            last.put(status.peer(), status);
            if (status.phase() == Phase.AGREED) {
                completeSinceNanos.put(status.peer(), repair.startedNanos());
            }
        }
        tell(status);
        next();
    }

    private static void tell(PeerRepairStatus status) {
        String what =
                "%d compared, %d differed, %d sent, %d fetched, %d bytes, %.1f s"
                        .formatted(
                                status.compared(),
                                status.differing(),
                                status.pushed(),
                                status.pulled(),
                                status.bytes(),
                                status.nanos() / NANOS_PER_SECOND);
        if (status.phase() == Phase.AGREED) {
            LOG.info("Repaired with {}: {}", status.peer(), what);
        } else {
            LOG.warn("Not repaired with {}: {}; {}", status.peer(), status.detail(), what);
        }
    }

    /** How it goes, or how the last round went. */
    public synchronized RepairStatus status() {
        List<PeerRepairStatus> all = new ArrayList<>();
        PeerRepairStatus now = current == null ? null : current.status();
        for (PeerRepairStatus status : last.values()) {
            PeerRepairStatus latest =
                    now != null && now.peer().equals(status.peer()) ? now : status;
            long sinceNanos = completeSinceNanos.getOrDefault(status.peer(), madeNanos);
            all.add(latest.withAge((ticker.nanos() - sinceNanos) / NANOS_PER_SECOND));
        }
        return new RepairStatus(round, running, all);
    }

    /** Ends what is under way. */
    @Override
    public void close() {
        PeerRepair underWay;
        synchronized (this) {
            closed = true;
            timer.cancel();
            toDo.clear();
            underWay = current;
        }
        if (underWay != null) {
            underWay.cancel();
        }
    }
}
