package dev.quorate.testkit;

import dev.quorate.node.ClusterNode;
import dev.quorate.node.NodeSurroundings;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.topology.Member;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A machine of the cluster: its disk, its clock, and a process that runs a node, or does not.
 *
 * <p>Methods that change the process ({@link #start}, {@link #stop}, {@link #kill} and so on)
 * return when that is done. Requests return the node's answer, whatever the status, and throw
 * {@link UncheckedIOException} where it does not answer.
 */
public final class TestNode {

    /** The state of the process. */
    public enum State {
        RUNNING,
        PAUSED,
        /** Stopped or killed, or not started yet. */
        DOWN,
        /** It has ended itself, as after a failed fsync. */
        GAVE_UP
    }

    private static final int PEER_SELECTORS = 1;

    private final int number;
    private final NodeOptions options;
    private final ReplicaSelector selector;
    private final TestDisk disk;
    private final TestClock clock;
    private final TestNetwork network;
    private final Clients clients;
    private final FaultLog log;
    private final FaultyLink.Deliveries deliveries;

    // Guarded by this, but for being read.
    private volatile State state = State.DOWN;
    private volatile @Nullable ClusterNode process;
    private @Nullable Life life;
    private volatile String reason = "";

    /**
     * @param selector for the options' topology, which all nodes of the cluster share
     */
    TestNode(
            int number,
            NodeOptions options,
            ReplicaSelector selector,
            TestDisk disk,
            TestClock clock,
            TestNetwork network,
            Clients clients) {
        this.number = number;
        this.options = options;
        this.selector = selector;
        this.disk = disk;
        this.clock = clock;
        this.network = network;
        this.clients = clients;
        this.log = disk.log();
        this.deliveries = new FaultyLink.Deliveries(name());
    }

    // ---- what it is

    /** From 1. */
    public int number() {
        return number;
    }

    /** {@code n1} and so on. */
    public String name() {
        return options.self().name();
    }

    /** Such as {@code http://127.0.0.1:40001}, the same in all its lives. */
    public String url() {
        return options.self().url().toString();
    }

    public State state() {
        return state;
    }

    /** Whether there is a process, paused or not. */
    public boolean isUp() {
        return process != null;
    }

    /** The reason why it ended by itself; empty unless it did. */
    public String reason() {
        return reason;
    }

    public TestDisk disk() {
        return disk;
    }

    public TestClock clock() {
        return clock;
    }

    // ---- its process

    /**
     * Starts the process, which serves when this returns. After a kill that takes up to two
     * seconds: the node waits until its clock is not ahead of the others'.
     *
     * @throws UncheckedIOException if it cannot start
     * @throws dev.quorate.storage.StorageException if its data directory prevents a start
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
                        clock.ticker(),
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
                        topology -> selector,
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
     * Ends the process at once, as {@code SIGKILL} does: nothing is completed, flushed or sent, and
     * its connections are reset. Its written bytes stay, synced or not, but see {@link
     * TestDisk#loseUnsyncedAtNextKill}.
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

    /** {@link #stop}, if it is up, and {@link #start}. */
    public synchronized void restart() {
        stop();
        start();
    }

    /**
     * Pauses the process, as {@code SIGSTOP} does: it answers and writes nothing, and its timers do
     * not fire. Its connections stay open, and messages to it wait.
     */
    public synchronized void pause() {
        Life current = life;
        if (current != null) {
            current.pause();
            state = State.PAUSED;
            log.record(name() + " is paused");
        }
    }

    /** Resumes the process, as {@code SIGCONT} does, with all that has waited. */
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

    /** Called where a process would exit, on a thread of the node that must not block. */
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

    // ---- its clients

    /** Uses the node's default quorum, a majority of a key's replicas. */
    public Reply put(String key, String value) {
        return clients.put(url(), key, value.getBytes(StandardCharsets.UTF_8), null);
    }

    /**
     * Stores a text.
     *
     * @param replicas how many have to agree of how many, such as {@code 2/3}
     */
    public Reply put(String key, String value, String replicas) {
        return clients.put(url(), key, value.getBytes(StandardCharsets.UTF_8), replicas);
    }

    public Reply put(String key, byte[] value, String replicas) {
        return clients.put(url(), key, value, replicas);
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

    /**
     * Whether it would send requests to all other running nodes that it can reach. A peer that it
     * has not reached yet, because it probed it before the peer listened, does not count.
     */
    boolean asksAll(List<TestNode> others) {
        ClusterNode running = process;
        if (running == null) {
            return true;
        }
        if (!running.votes()) {
            return false;
        }
        for (PeerHealth peer : running.peers()) {
            for (TestNode other : others) {
                if (other.name().equals(peer.member())
                        && other.state() == State.RUNNING
                        && network.connects(number, other.number())
                        && !peer.asked()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** A failure that no injected fault explains; null if there was none. */
    @Nullable String unexpectedFailure() {
        return state == State.GAVE_UP && !disk.wasEverBroken() ? name() + ": " + reason : null;
    }

    void close() {
        kill();
        deliveries.close();
    }

    /** Several lines: its state, its faults, and the health of its peers. */
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

    /** Timers that fire late while the process is paused, and never after its end. */
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
