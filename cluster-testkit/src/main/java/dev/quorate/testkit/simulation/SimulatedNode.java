package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.node.NodeEffects;
import dev.quorate.node.clock.MomentFile;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.health.PeerStanding;
import dev.quorate.node.runtime.ByteBudget;
import dev.quorate.node.runtime.NodeRuntime;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Durability;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreClocks;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A machine: a disk, a clock that may be wrong, and a process that runs a node, or does not.
 *
 * <p>Whatever the process has set in motion belongs to its life: with its end that is forgotten,
 * and while the process is paused it waits.
 */
final class SimulatedNode implements Ticker {

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** 2026-01-01 at 00:00 UTC. */
    private static final long EPOCH_MILLIS = 1_767_225_600_000L;

    private static final Path DATA = Path.of("/data");

    /** Where its tables and logs are. */
    static final Path STORE = DATA.resolve("store");

    private static final Path CLOCK = DATA.resolve("clock");
    private static final int CLOCK_MAGIC = 0x51434C4B;

    private static final long SNAPSHOT_NANOS = 300 * NANOS_PER_MILLI;
    private static final long LARGE_VALUE_BYTES = 64 << 20;
    private static final long DRAIN_LOOK_NANOS = 10 * NANOS_PER_MILLI;
    private static final int MAX_DRAIN_LOOKS = 500;
    private static final long COPY_LOOK_NANOS = 10 * NANOS_PER_MILLI;
    private static final long MAX_TASK_NANOS = 50_000;
    private static final long MAX_FORCE_NANOS = 3 * NANOS_PER_MILLI;

    private final EventQueue queue;
    private final SimulatedNetwork network;
    private final SplittableRandom random;
    private final ReplicaSelector selector;
    private final Story story;
    final Member member;

    private final NodeSettings settings;
    private final Sabotage sabotage;
    private FaultyDisk disk = new FaultyDisk();
    private FaultyDisk snapshot = disk;
    private long skewMillis;
    private @Nullable NodeCore core;
    private boolean serving;
    private boolean draining;

    /** The number of the process's life: what an earlier one has set in motion is void. */
    private int life;

    /** What its disk is to become, if the process has just come to its end. */
    private @Nullable UnaryOperator<FaultyDisk> ending;

    private boolean mayBeCorrupt;
    private boolean lostDisk;
    private boolean votesAfterCopying;
    private boolean paused;
    private final List<Runnable> waiting = new ArrayList<>();

    SimulatedNode(
            Member member,
            ReplicaSelector selector,
            EventQueue queue,
            SimulatedNetwork network,
            SplittableRandom random,
            Story story,
            NodeSettings settings,
            Sabotage sabotage) {
        this.settings = settings;
        this.sabotage = sabotage;
        this.member = member;
        this.selector = selector;
        this.queue = queue;
        this.network = network;
        this.random = random;
        this.story = story;
        if (sabotage == Sabotage.LOSES_THE_END_OF_THE_LOG) {
            takeSnapshots();
        }
    }

    @Override
    public long wallMillis() {
        return EPOCH_MILLIS + queue.nanos() / NANOS_PER_MILLI + skewMillis;
    }

    @Override
    public long nanos() {
        return queue.nanos();
    }

    /** Sets the wall clock so far ahead of the true time. */
    void setSkewMillis(long millis) {
        skewMillis = millis;
    }

    /** From now on it may refuse to start because of what it finds on its disk. */
    void allowCorruption() {
        mayBeCorrupt = true;
    }

    /** Ends the process if there is one, and all that it had stored is gone. */
    void loseDisk() {
        end(old -> old);
        disk = new FaultyDisk();
        lostDisk = true;
        votesAfterCopying = false;
    }

    /** Ends the process if there is one, and a file or folder of its directory is gone. */
    void losePart(String part) {
        end(FaultyDisk::afterKill);
        Path lost = DATA.resolve(part);
        if (disk.exists(lost)) {
            disk.remove(lost);
        }
        disk.list(lost).forEach(name -> disk.remove(lost.resolve(name)));
        lostDisk = true;
        votesAfterCopying = false;
    }

    /** Ends the process if there is one, and the disk is as it was once. */
    void putBack(FaultyDisk copy) {
        end(old -> old);
        disk = copy.afterKill();
        lostDisk = true;
        votesAfterCopying = false;
    }

    /** How far it has come, if it votes; else 0. */
    long generation() {
        NodeCore running = serving();
        return running == null || !running.membership().votes()
                ? 0
                : running.membership().ours().generation();
    }

    /** Whether it has on its disk that another one has come so far. */
    boolean knowsOf(SimulatedNode other, long generation) {
        NodeCore running = serving();
        return running != null
                && running.membership().stateFor(other.member.number()).known().stream()
                        .anyMatch(
                                each ->
                                        each.member() == other.member.number()
                                                && each.generation() >= generation);
    }

    /** Whether it has what it acknowledged, as far as it knows. */
    boolean isWhole() {
        NodeCore running = serving();
        lostDisk &= running == null || !running.membership().votes();
        return !lostDisk;
    }

    /** Whether some of what it has stored may be lost to it. */
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

    /** How many its stores have dropped in this life. */
    long droppedTombstones() {
        NodeCore running = serving();
        return running == null ? 0 : running.store().statistics().droppedTombstones();
    }

    /** Whether whoever spreads requests over the nodes sends it any. */
    boolean takesRequests() {
        return serving && !draining;
    }

    /** Whether it votes, and all others that serve know that and would ask it. */
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

    /** Whether it has nothing to do with another, such as one with a wrong clock. */
    boolean refuses(SimulatedNode other) {
        NodeCore serving = serving();
        return serving != null
                && serving.transport().health().stream()
                        .anyMatch(
                                peer ->
                                        peer.member().equals(other.member.name())
                                                && peer.standing() == PeerStanding.REFUSED);
    }

    private boolean asks(NodeCore other) {
        return other.membership().hasSaidThatItVotes(member.number())
                && other.transport().health().stream()
                        .anyMatch(peer -> peer.member().equals(member.name()) && peer.asked());
    }

    /** The number of the life whose news is still of interest. */
    int life() {
        return life;
    }

    /** Starts the process. A node that cannot start has a bug: no fault here allows for it. */
    void start() {
        if (core != null) {
            return;
        }
        int begunIn = life;
        try {
            NodeCore started =
                    new NodeCore(options(), effects(), new ByteBudget(LARGE_VALUE_BYTES), selector);
            core = started;
            after(
                    started.catchUpMillis() * NANOS_PER_MILLI + random.nextLong(MAX_FORCE_NANOS),
                    () -> serve(started));
        } catch (PowerLost lost) {
            forget(Objects.requireNonNull(ending));
        } catch (IOException | StorageException e) {
            if (life == begunIn && mayBeCorrupt && e instanceof CorruptionException) {
                story.tell(member.name() + " does not start, rightly: " + e.getMessage());
            } else if (life == begunIn) {
                story.broken(member.name() + " does not start: " + e);
            }
        }
    }

    private void serve(NodeCore started) {
        try {
            started.startClock();
            serving = true;
            started.seekPeers();
            if (sabotage == Sabotage.VOTES_AFTER_COPYING) {
                voteAfterCopying(started);
            }
            story.tell(member.name() + " serves: " + started.store().recoverySummary());
        } catch (IOException e) {
            story.tell(member.name() + " fails at its start: " + e.getMessage());
            end(FaultyDisk::afterKill);
        }
    }

    /** Starts anew as one that is trusted to have everything, as soon as it has copied. */
    private void voteAfterCopying(NodeCore started) {
        if (started.membership().progress().contains("; comparing with ")) {
            votesAfterCopying = true;
            end(FaultyDisk::afterKill);
            start();
        } else if (!started.membership().votes()) {
            after(COPY_LOOK_NANOS, () -> voteAfterCopying(started));
        }
    }

    /**
     * Ends the process as {@code SIGTERM} does: it takes nothing new, ends what is under way, or
     * gives up on that, and closes everything.
     */
    void stop() {
        if (serving && !draining) {
            draining = true;
            NodeCore stopping = Objects.requireNonNull(core);
            stopping.coordinator().drain();
            after(DRAIN_LOOK_NANOS, () -> stopWhenIdle(stopping, MAX_DRAIN_LOOKS));
        }
    }

    private void stopWhenIdle(NodeCore stopping, int looks) {
        var now = stopping.coordinator().statistics();
        if (looks > 0 && now.outstanding() + now.openScans() > 0) {
            after(DRAIN_LOOK_NANOS, () -> stopWhenIdle(stopping, looks - 1));
            return;
        }
        stopping.close();
        end(FaultyDisk::afterKill);
    }

    /**
     * Ends the process at once, in the middle of whatever it does.
     *
     * @param afterwards what is then found on the disk
     */
    void end(UnaryOperator<FaultyDisk> afterwards) {
        if (core != null) {
            forget(afterwards);
        }
    }

    private void forget(UnaryOperator<FaultyDisk> afterwards) {
        core = null;
        ending = null;
        serving = false;
        draining = false;
        paused = false;
        waiting.clear();
        life++;
        FaultyDisk left = afterwards.apply(disk);
        disk =
                switch (sabotage) {
                    case LOSES_THE_END_OF_THE_LOG -> snapshot.afterKill();
                    case NONE,
                            ACKNOWLEDGES_BEFORE_FSYNC,
                            EMPTY_REPLICA_VOTES,
                            INCOMPLETE_REPLICA_VOTES,
                            OLD_COPY_VOTES,
                            VOTES_AFTER_COPYING,
                            EXPIRES_BY_ITS_OWN_CLOCK,
                            DROPS_TOMBSTONES_BY_AGE,
                            HINTS_OUTLIVE_TOMBSTONES,
                            COUNTS_TIMEOUTS_AS_ACKNOWLEDGEMENTS,
                            COUNTS_HINTS_AS_ACKNOWLEDGEMENTS,
                            READS_FROM_ONE_REPLICA,
                            COUNTS_NEWER_DIGESTS_AS_AGREEING,
                            LAST_TO_ARRIVE_WINS,
                            NEVER_STAMPS_ANEW,
                            REPAIRS_NOTHING,
                            REPAIRS_UNDER_A_NEW_STAMP,
                            WRITES_WITHOUT_ASKING_FIRST ->
                            left;
                    case FORGETS_ITS_CLOCK -> withoutClock(left);
                };
        network.ended(this);
    }

    /** The file is there, and says nothing: without it the node would not vote. */
    private static FaultyDisk withoutClock(FaultyDisk disk) {
        if (disk.exists(CLOCK)) {
            try {
                new MomentFile(disk, CLOCK, CLOCK_MAGIC).write(0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return disk;
    }

    private void takeSnapshots() {
        snapshot = disk.afterKill();
        queue.after(SNAPSHOT_NANOS, this::takeSnapshots);
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

    /** Does something as this process, later; not at all if that life has ended by then. */
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
            // Told by what follows, as where it was taken for a failure of the disk.
        }
        if (ending != null) {
            end(ending);
        }
    }

    /** Thrown through whatever the process is doing. */
    private static final class PowerLost extends Error {
        private static final long serialVersionUID = 1;

        PowerLost() {
            super("the process ends here", null, false, false);
        }
    }

    /**
     * Ends the process when it is about to change its disk for the so-manyth time from now: in the
     * middle of a flush, a compaction, or a start.
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
        boolean forces = sabotage != Sabotage.ACKNOWLEDGES_BEFORE_FSYNC;
        return settings.options(
                member,
                selector.ring().topology(),
                DATA,
                forces ? Durability.FSYNC : Durability.ASYNC,
                sabotage == Sabotage.EMPTY_REPLICA_VOTES
                        || sabotage == Sabotage.INCOMPLETE_REPLICA_VOTES
                        || sabotage == Sabotage.OLD_COPY_VOTES
                        || votesAfterCopying);
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
                peer -> network.link(this, peer),
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
                        () -> {});
        KeyValueStore store =
                LsmStore.open(
                        disk,
                        directory,
                        storage,
                        executors,
                        new StoreClocks(
                                this::nanos,
                                this::wallMillis,
                                sabotage == Sabotage.EXPIRES_BY_ITS_OWN_CLOCK
                                        ? this::wallMillis
                                        : expiredMillis),
                        listener);
        return SabotagedStore.of(store, sabotage, this::wallMillis);
    }

    /** As the real one does: the process ends itself. */
    private void fatal(String why) {
        if (ending == null) {
            story.tell(member.name() + " ends itself: " + why);
            after(0, () -> end(FaultyDisk::afterKill));
        }
    }

    /** One thread, which does one thing after the other. */
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
