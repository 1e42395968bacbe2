package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.node.NodeEffects;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreClocks;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A machine: a disk, a clock that may be skewed, and the process of a node, running or not.
 *
 * <p>All scheduled tasks of the process belong to its life: they are dropped at its end, and wait
 * while it is paused.
 */
final class SimulatedNode implements Ticker {

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** 2026-01-01 at 00:00 UTC. */
    private static final long EPOCH_MILLIS = 1_767_225_600_000L;

    private static final Path DATA = Path.of("/data");

    /** The directory of tables and logs. */
    static final Path STORE = DATA.resolve("store");

    /** The file with the limit that the clock has reserved. */
    static final Path CLOCK = DATA.resolve("clock");

    private static final long DRAIN_POLL_NANOS = 10 * NANOS_PER_MILLI;
    private static final int MAX_DRAIN_POLLS = 500;
    private static final long MAX_TASK_NANOS = 50_000;
    private static final long MAX_FORCE_NANOS = 3 * NANOS_PER_MILLI;

    final EventQueue queue;
    private final Machines machines;
    private final SplittableRandom random;
    final Member member;

    /** The ring for the topology of its options. */
    private Ring option;

    /** The ring of its last life: a ring takes milliseconds and a megabyte. */
    private Ring ring;

    private final NodeSettings settings;
    private final Behavior behavior;
    private FaultyDisk disk = new FaultyDisk();
    private long skewMillis;
    private @Nullable NodeCore core;
    private boolean serving;
    private boolean draining;

    /** The number of the life of the process. Tasks of an earlier life are dropped. */
    private int life;

    /** The change of the disk, if the process is about to end. */
    private @Nullable UnaryOperator<FaultyDisk> ending;

    private boolean mayBeCorrupt;
    private boolean lostDisk;
    private boolean foundsNew;

    /** The highest epoch that the node has used, unless its disk has lost it. */
    private int epoch;

    private boolean paused;
    private final List<Runnable> waiting = new ArrayList<>();

    SimulatedNode(
            Member member,
            Ring option,
            Machines machines,
            SplittableRandom random,
            NodeSettings settings,
            Behavior behavior) {
        this.settings = settings;
        this.behavior = behavior;
        this.member = member;
        this.option = option;
        this.ring = option;
        this.machines = machines;
        this.queue = machines.queue;
        this.random = random;
        behavior.created(this);
    }

    @Override
    public long wallMillis() {
        return EPOCH_MILLIS + queue.nanos() / NANOS_PER_MILLI + skewMillis;
    }

    @Override
    public long nanos() {
        return queue.nanos();
    }

    /** Sets how far the wall clock is ahead of the true time. */
    void setSkewMillis(long millis) {
        skewMillis = millis;
    }

    /** Permits the node to refuse a start because of damage on its disk. */
    void allowCorruption() {
        mayBeCorrupt = true;
    }

    /** Ends the process, if any, and loses its disk. Its option names all machines from now on. */
    void loseDisk() {
        end(old -> old);
        disk = new FaultyDisk();
        option = machines.option();
        lostDisk = true;
        epoch = 0;
    }

    /** Ends the process, if any, and gets a new disk: the machine of a new member. */
    void renew() {
        loseDisk();
        lostDisk = false;
        mayBeCorrupt = false;
    }

    /** Lets a majority of empty members found the cluster, at the next start. */
    void foundNew() {
        foundsNew = true;
    }

    /** Ends the process, if any, and loses a file or folder of its data directory. */
    void losePart(String part) {
        end(FaultyDisk::afterKill);
        Path lost = DATA.resolve(part);
        if (disk.exists(lost)) {
            disk.remove(lost);
        }
        disk.list(lost).forEach(name -> disk.remove(lost.resolve(name)));
        lostDisk = true;
        epoch = 0;
    }

    /** Ends the process, if any, and restores an old copy of its disk. */
    void putBack(FaultyDisk copy) {
        end(old -> old);
        disk = copy.afterKill();
        lostDisk = true;
        epoch = 0;
    }

    /** The generation of the node if it votes; otherwise 0. */
    long generation() {
        NodeCore running = serving();
        return running == null || !running.membership().votes()
                ? 0
                : running.membership().ours().generation();
    }

    boolean hasRecorded(SimulatedNode other, long generation) {
        NodeCore running = serving();
        return running != null
                && running.membership().stateFor(other.member.number()).known().stream()
                        .anyMatch(
                                each ->
                                        each.member() == other.member.number()
                                                && each.generation() >= generation);
    }

    /** Whether the machine has lost no data since the node last voted. */
    boolean isWhole() {
        NodeCore running = serving();
        lostDisk &= running == null || !running.membership().votes();
        return !lostDisk;
    }

    boolean mayBeCorrupt() {
        return mayBeCorrupt;
    }

    FaultyDisk disk() {
        return disk;
    }

    boolean isUp() {
        return core != null;
    }

    boolean isPaused() {
        return paused;
    }

    /** The node, if clients and peers can reach it. */
    @Nullable NodeCore serving() {
        return serving ? core : null;
    }

    /** The number of tombstones that the store has dropped in this life. */
    long droppedTombstones() {
        NodeCore running = serving();
        return running == null ? 0 : running.store().figures().count("tombstones_dropped");
    }

    /** Whether a load balancer would send requests to the node. */
    boolean takesRequests() {
        return serving && !draining;
    }

    /** Whether the node votes, and all other serving nodes would send requests to it. */
    boolean isKnownTo(List<SimulatedNode> nodes) {
        NodeCore running = serving();
        if (running == null || !running.membership().votes()) {
            return false;
        }
        for (SimulatedNode each : nodes) {
            NodeCore other = each.serving();
            if (each != this && other != null && !asks(other)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the node refuses another node, for example because of its clock. */
    boolean refuses(SimulatedNode other) {
        NodeCore running = serving();
        return running != null
                && sees(running, other, peer -> peer.standing() == PeerStanding.REFUSED);
    }

    private boolean asks(NodeCore other) {
        return other.membership().others().votes(member.number())
                && sees(other, this, PeerHealth::asked);
    }

    private static boolean sees(NodeCore core, SimulatedNode peer, Predicate<PeerHealth> how) {
        return core.transport().health().stream()
                .anyMatch(each -> each.member().equals(peer.member.name()) && how.test(each));
    }

    int life() {
        return life;
    }

    /** Starts the process. A failure is recorded as broken, unless damage explains it. */
    void start() {
        if (core != null) {
            return;
        }
        int begunIn = life;
        try {
            NodeOptions options = options();
            NodeCore started =
                    new NodeCore(
                            options,
                            effects(),
                            new ByteBudget(64 << 20),
                            ring,
                            () -> Objects.requireNonNull(options.secret()));
            core = started;
            after(
                    started.catchUpMillis() * NANOS_PER_MILLI + random.nextLong(MAX_FORCE_NANOS),
                    () -> serve(started));
        } catch (PowerLost lost) {
            forget(Objects.requireNonNull(ending));
        } catch (IOException | StorageException e) {
            if (life == begunIn && mayBeCorrupt && e instanceof CorruptionException) {
                machines.record(member.name() + " does not start, rightly: " + e.getMessage());
            } else if (life == begunIn) {
                machines.broken(member.name() + " does not start: " + e);
            }
        }
    }

    private void serve(NodeCore started) {
        try {
            started.startClock(new LifeTimers(this));
            serving = true;
            started.seekPeers();
            uses(started.topology().current());
            started.topology().whenInstalled(this::uses);
            behavior.serving(this, started);
            machines.record(member.name() + " serves: " + started.store().recoverySummary());
        } catch (IOException e) {
            machines.record(member.name() + " fails at its start: " + e.getMessage());
            end(FaultyDisk::afterKill);
        }
    }

    private void uses(Topology topology) {
        if (topology.epoch() < epoch) {
            machines.broken(this + " went back from epoch " + epoch + " to " + topology);
        }
        epoch = topology.epoch();
        machines.uses(this, topology);
    }

    /**
     * Ends the process as {@code SIGTERM} does: the node refuses new requests, waits for
     * outstanding ones up to a limit, and closes.
     */
    void stop() {
        if (serving && !draining) {
            draining = true;
            NodeCore stopping = Objects.requireNonNull(core);
            stopping.coordinator().drain();
            after(DRAIN_POLL_NANOS, () -> stopWhenIdle(stopping, MAX_DRAIN_POLLS));
        }
    }

    private void stopWhenIdle(NodeCore stopping, int polls) {
        if (polls > 0 && stopping.coordinator().underway() > 0) {
            after(DRAIN_POLL_NANOS, () -> stopWhenIdle(stopping, polls - 1));
            return;
        }
        stopping.close();
        end(FaultyDisk::afterKill);
    }

    /** Ends the process at once, if it runs, and changes the disk by {@code afterwards}. */
    void end(UnaryOperator<FaultyDisk> afterwards) {
        if (core != null) {
            forget(afterwards);
        }
    }

    private void forget(UnaryOperator<FaultyDisk> afterwards) {
        if (core != null) {
            ring = core.placement().current().after();
        }
        core = null;
        ending = null;
        serving = false;
        draining = false;
        paused = false;
        waiting.clear();
        life++;
        disk = behavior.afterEnd(this, afterwards.apply(disk));
        machines.network.ended(this);
    }

    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
        List<Runnable> due = new ArrayList<>(waiting);
        waiting.clear();
        int current = life;
        for (Runnable task : due) {
            if (life == current) {
                runOrWait(task);
            }
        }
    }

    /** Runs a task of this process after a delay, unless its life has ended by then. */
    void after(long delayNanos, Runnable task) {
        int begunIn = life;
        queue.after(
                delayNanos,
                () -> {
                    if (life == begunIn) {
                        runOrWait(task);
                    }
                });
    }

    private void runOrWait(Runnable task) {
        if (paused) {
            waiting.add(task);
            return;
        }
        try {
            task.run();
        } catch (PowerLost lost) {
            // Handled below, as is the case that the node treated it as a disk failure.
        }
        if (ending != null) {
            end(ending);
        }
    }

    /** Ends the current step of the process at a change of its disk. */
    private static final class PowerLost extends Error {
        private static final long serialVersionUID = 1;

        PowerLost() {
            super("the process ends here", null, false, false);
        }
    }

    /**
     * Ends the process at its given number of further changes of the disk, such as during a flush,
     * a compaction, or a start.
     */
    void endAtDiskStep(long steps, UnaryOperator<FaultyDisk> afterwards) {
        long last = disk.steps() + steps;
        disk.beforeStep(
                step -> {
                    if (step >= last) {
                        ending = afterwards;
                        throw new PowerLost();
                    }
                });
    }

    private NodeOptions options() {
        return settings.options(
                member,
                option.topology(),
                DATA,
                behavior.durability(),
                behavior.trustsEmptyDisk(this),
                foundsNew);
    }

    private NodeEffects effects() {
        return new NodeEffects(
                disk,
                new NodeRuntime(
                        this,
                        new LifeTimers(this),
                        random.split(),
                        task -> after(random.nextLong(MAX_FORCE_NANOS), task)),
                this::openStore,
                inOrder(MAX_FORCE_NANOS),
                peer -> machines.network.link(this, machines.node(peer)),
                this::fatal);
    }

    private KeyValueStore openStore(
            Path directory,
            StorageOptions storage,
            LongSupplier expiredMillis,
            StoreListener listener) {
        StoreExecutors executors =
                new StoreExecutors(
                        inOrder(MAX_FORCE_NANOS),
                        inOrder(MAX_TASK_NANOS),
                        task -> after(random.nextLong(MAX_FORCE_NANOS), task),
                        (millis, task) -> after(millis * NANOS_PER_MILLI, task),
                        () -> {},
                        StoreExecutors.Callers.MUST_RUN);
        KeyValueStore store =
                LsmStore.open(
                        disk,
                        directory,
                        storage,
                        executors,
                        new StoreClocks(
                                this::nanos,
                                this::wallMillis,
                                behavior.expiryClock(this, expiredMillis)),
                        listener);
        return behavior.store(this, store);
    }

    /** A fatal failure ends the process, as in production. */
    private void fatal(String why) {
        if (ending == null) {
            machines.record(member.name() + " ends itself: " + why);
            after(0, () -> end(FaultyDisk::afterKill));
        }
    }

    private Executor inOrder(long mostNanos) {
        return new Executor() {
            private long busyUntil;

            @Override
            public void execute(Runnable task) {
                long start = Math.max(busyUntil + 1, queue.nanos());
                busyUntil = start + random.nextLong(mostNanos);
                after(busyUntil - queue.nanos(), task);
            }
        };
    }

    @Override
    public String toString() {
        return member.name();
    }
}
