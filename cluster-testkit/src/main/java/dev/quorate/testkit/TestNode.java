package dev.quorate.testkit;

import dev.quorate.node.ClusterNode;
import dev.quorate.node.NodeSurroundings;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.topology.Member;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A machine of the cluster: its disk, its clock, and the process of a node, running or not.
 *
 * <p>Methods that change the process ({@link #start}, {@link #stop}, {@link #kill} and so on)
 * return when the change is complete. Requests return the node's answer with any status, and throw
 * {@link UncheckedIOException} if there is none.
 */
public final class TestNode {

    public enum State {
        RUNNING,
        PAUSED,
        /** Stopped or killed, or not started yet. */
        DOWN,
        /** Ended itself, for example after a failed fsync. */
        GAVE_UP
    }

    private static final int PEER_SELECTORS = 1;

    private final int number;
    private final NodeOptions options;
    private final Ring ring;
    private final TestDisk disk;
    private final TestClock clock;
    private final TestNetwork network;
    private final Clients clients;
    private final FaultLog log;
    private final FaultyLink.Deliveries deliveries;

    // Written under the monitor; the volatile ones are read without it.
    private volatile State state = State.DOWN;
    private volatile @Nullable ClusterNode process;
    private @Nullable Life life;
    private volatile String reason = "";

    /**
     * @param ring for the topology of the options; shared by all nodes of the cluster
     */
    TestNode(
            int number,
            NodeOptions options,
            Ring ring,
            TestDisk disk,
            TestClock clock,
            TestNetwork network,
            Clients clients) {
        this.number = number;
        this.options = options;
        this.ring = ring;
        this.disk = disk;
        this.clock = clock;
        this.network = network;
        this.clients = clients;
        this.log = disk.log();
        this.deliveries = new FaultyLink.Deliveries(name());
    }

    /** The number of the node, from 1. */
    public int number() {
        return number;
    }

    /** {@code n1} and so on. */
    public String name() {
        return options.self().name();
    }

    /** The URL for clients, such as {@code http://127.0.0.1:40001}. A restart keeps it. */
    public String url() {
        return options.self().url().toString();
    }

    public State state() {
        return state;
    }

    /** Whether the process runs or is paused. */
    public boolean isUp() {
        return process != null;
    }

    /** The reason why the process ended itself; empty if it did not. */
    public String reason() {
        return reason;
    }

    public TestDisk disk() {
        return disk;
    }

    public TestClock clock() {
        return clock;
    }

    // ---- the process

    /**
     * Starts the process and returns when the node serves. After a kill this takes up to two
     * seconds: the node waits until its clock is not ahead of the others.
     *
     * @throws UncheckedIOException if the node cannot start
     * @throws dev.quorate.storage.StorageException if the store cannot be opened
     */
    public synchronized void start() {
        if (process != null) {
            throw new IllegalStateException(name() + " is running already.");
        }
        Life begun = new Life(deliveries);
        ProcessFiles files = disk.begin(begun);
        NodeSurroundings surroundings =
                new NodeSurroundings(
                        files,
                        clock,
                        timers -> new GatedTimers(timers, begun),
                        (peer, link) -> {
                            int other = numberOf(peer);
                            return new FaultyLink(
                                    link,
                                    network.direction(number, other),
                                    network.direction(other, number),
                                    begun,
                                    deliveries);
                        },
                        door -> new GatedDoor(door, begun),
                        topology -> ring,
                        PEER_SELECTORS);
        try {
            process = ClusterNode.start(options, surroundings, why -> requestEnd(begun, why));
        } catch (IOException e) {
            throw new UncheckedIOException(name() + " does not start: " + e.getMessage(), e);
        } finally {
            if (process == null) {
                begun.end();
                disk.end();
            }
        }
        life = begun;
        state = State.RUNNING;
        reason = "";
        log.record(name() + " is started");
    }

    static int numberOf(Member member) {
        return Integer.parseInt(member.name().substring(1));
    }

    /** Ends the process gracefully, as {@code SIGTERM} does. */
    public synchronized void stop() {
        ClusterNode running = process;
        if (running == null) {
            return;
        }
        if (state == State.PAUSED) {
            throw new IllegalStateException(
                    name()
                            + " is paused, and does not hear that it is to stop: resume or kill it.");
        }
        running.stop();
        over(State.DOWN, "stopped");
    }

    /**
     * Ends the process at once, as {@code SIGKILL} does: completes, flushes and sends nothing, and
     * resets its connections. Written bytes remain, synced or not, unless {@link
     * TestDisk#loseUnsyncedAtNextKill} was called.
     */
    public synchronized void kill() {
        if (process != null) {
            end(State.DOWN, "killed");
        }
    }

    /** Power loss of the machine: a kill that loses all unsynced bytes. */
    public synchronized void losePower() {
        disk.loseUnsyncedAtNextKill();
        kill();
    }

    /** Stops the process if it runs, and starts it. */
    public synchronized void restart() {
        stop();
        start();
    }

    /**
     * Pauses the process, as {@code SIGSTOP} does: it answers and writes nothing, and its timers do
     * not fire. Its connections remain open, and messages to it wait.
     */
    public synchronized void pause() {
        Life current = life;
        if (current != null) {
            current.pause();
            state = State.PAUSED;
            log.record(name() + " is paused");
        }
    }

    /** Resumes the process, as {@code SIGCONT} does, with all waiting messages and timers. */
    public synchronized void resume() {
        Life current = life;
        if (current != null && state == State.PAUSED) {
            state = State.RUNNING;
            current.resume();
            log.record(name() + " is resumed");
        }
    }

    private void end(State becomes, String ended) {
        ClusterNode running = process;
        Life ending = life;
        if (running == null || ending == null) {
            return;
        }
        ending.end();
        disk.end();
        running.kill();
        disk.ended();
        over(becomes, ended);
    }

    private void over(State becomes, String ended) {
        if (life != null) {
            life.end();
        }
        process = null;
        life = null;
        state = becomes;
        log.record(name() + " is " + ended);
    }

    /** Called when the node would exit, on one of its threads, which must not block. */
    private void requestEnd(Life ending, String why) {
        ending.end();
        Thread.ofPlatform().name(name() + "-end").daemon().start(() -> recordEnd(ending, why));
    }

    private synchronized void recordEnd(Life ending, String why) {
        if (life == ending) {
            reason = why;
            end(State.GAVE_UP, "gone, because of itself: " + why);
        }
    }

    // ---- requests

    /** Stores text at the node's default quorum, a majority of the key's replicas. */
    public Reply put(String key, String value) {
        return clients.put(url(), key, value.getBytes(StandardCharsets.UTF_8), null);
    }

    /** Stores text at a quorum of {@code ack/from} replicas, such as {@code 2/3}. */
    public Reply put(String key, String value, String replicas) {
        return clients.put(url(), key, value.getBytes(StandardCharsets.UTF_8), replicas);
    }

    public Reply get(String key) {
        return clients.get(url(), key, null);
    }

    public Reply get(String key, String replicas) {
        return clients.get(url(), key, replicas);
    }

    public Reply delete(String key) {
        return clients.delete(url(), key, null);
    }

    public Reply delete(String key, String replicas) {
        return clients.delete(url(), key, replicas);
    }

    // ---- for the cluster

    /** Whether the node is down, or votes and sends requests to all running peers it can reach. */
    boolean asksAll(List<TestNode> others) {
        ClusterNode running = process;
        return running == null
                || (running.votes()
                        && running.peers().stream()
                                .filter(peer -> !peer.asked())
                                .noneMatch(peer -> isReachable(peer, others)));
    }

    private boolean isReachable(PeerHealth peer, List<TestNode> others) {
        return others.stream()
                .filter(other -> other.name().equals(peer.member()))
                .filter(other -> other.state() == State.RUNNING)
                .anyMatch(other -> network.connects(number, other.number()));
    }

    /** A failure without a disk fault that could explain it; null if there was none. */
    @Nullable String unexpectedFailure() {
        return state == State.GAVE_UP && !disk.wasEverBroken() ? name() + ": " + reason : null;
    }

    void close() {
        kill();
        deliveries.close();
    }

    /** Several lines: the state and faults of the node, and the health of its peers. */
    String describe() {
        StringBuilder text = new StringBuilder();
        text.append("  ").append(name()).append(' ').append(state);
        text.append(reason.isEmpty() ? "" : " (" + reason + ")");
        text.append(", ").append(url()).append(", ").append(disk.directory());
        Duration ahead = clock.ahead();
        text.append(ahead.isZero() ? "" : ", clock " + ahead + " ahead");
        String faults = disk.toString();
        text.append(faults.isEmpty() ? "" : ", disk: " + faults).append('\n');
        ClusterNode running = process;
        if (running != null) {
            for (PeerHealth peer : running.peers()) {
                text.append("    sees ").append(peer.member()).append(' ').append(peer.standing());
                text.append(peer.asked() ? "" : ", does not ask it");
                boolean isUp = peer.standing() == PeerStanding.UP;
                text.append(isUp || peer.lastError().isEmpty() ? "" : ": " + peer.lastError());
                text.append('\n');
            }
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return name() + " " + state;
    }

    /** Timers whose tasks wait while the process is paused, and do not run after its end. */
    private record GatedTimers(Scheduler inner, Life life) implements Scheduler {

        @Override
        public Cancellable after(Duration delay, Runnable task) {
            return inner.after(delay, gated(task));
        }

        @Override
        public Cancellable every(Duration period, Runnable task) {
            return inner.every(period, gated(task));
        }

        private Runnable gated(Runnable task) {
            return () -> {
                if (life.pass()) {
                    task.run();
                }
            };
        }
    }
}
