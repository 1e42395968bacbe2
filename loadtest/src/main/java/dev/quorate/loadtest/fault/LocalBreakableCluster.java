package dev.quorate.loadtest.fault;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.FaultKind;
import dev.quorate.harness.NanoClock;
import dev.quorate.harness.ProcessCluster;
import dev.quorate.harness.Relay;
import dev.quorate.loadtest.metrics.NodeFigures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Processes on this machine. */
public final class LocalBreakableCluster implements BreakableCluster {

    /** Starts a cluster of three with those flags for each node. */
    @FunctionalInterface
    public interface Processes {
        ProcessCluster start(List<String> nodeFlags) throws CommandException;
    }

    private static final String VICTIM = "n3";
    private static final int VICTIM_AT = 2;

    private static final int MAX_PORT = 65_535;
    private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Begins or ends the fault. */
    @FunctionalInterface
    private interface Action {
        void run() throws CommandException;
    }

    private final ProcessCluster cluster;
    private final @Nullable Relay relay;
    private final Action fail;
    private final Action recover;
    private final InetSocketAddress first;
    private final NanoClock clock;

    private LocalBreakableCluster(
            ProcessCluster cluster,
            @Nullable Relay relay,
            Action fail,
            Action recover,
            InetSocketAddress first,
            NanoClock clock) {
        this.cluster = cluster;
        this.relay = relay;
        this.fail = fail;
        this.recover = recover;
        this.first = first;
        this.clock = clock;
    }

    /**
     * Starts a cluster whose third node can have a fault. For a delay the others reach it through a
     * relay from the start, so that a healthy run includes the relay too.
     *
     * @param kind a pause, a kill or a delay
     * @param port of the first node
     */
    public static LocalBreakableCluster start(
            FaultKind kind, int port, Processes processes, NanoClock clock)
            throws CommandException {
        InetSocketAddress first = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        return switch (kind) {
            case DELAY -> startDelayed(port, processes, first, clock);
            case PAUSE -> {
                ProcessCluster nodes = processes.start(List.of());
                yield new LocalBreakableCluster(
                        nodes,
                        null,
                        () -> nodes.pause(VICTIM),
                        () -> nodes.resume(VICTIM),
                        first,
                        clock);
            }
            case KILL -> {
                ProcessCluster nodes = processes.start(List.of());
                yield new LocalBreakableCluster(
                        nodes,
                        null,
                        () -> nodes.kill(VICTIM),
                        () -> nodes.start(VICTIM),
                        first,
                        clock);
            }
            case PARTITION, STRANGERS ->
                    throw new IllegalArgumentException("nodes cannot be " + kind.participle());
        };
    }

    private static LocalBreakableCluster startDelayed(
            int port, Processes processes, InetSocketAddress first, NanoClock clock)
            throws CommandException {
        int peerPort = port + VICTIM_AT + ProcessCluster.PEER_PORT_OFFSET;
        if (peerPort > MAX_PORT) {
            throw new CommandException(
                    "%s would listen for its peers on port %d, and there is none above %d."
                            .formatted(VICTIM, peerPort, MAX_PORT));
        }
        Relay relay;
        try {
            relay = new Relay(new InetSocketAddress(first.getAddress(), peerPort), clock);
        } catch (IOException e) {
            throw new CommandException("there is no port for a relay: " + e.getMessage(), e);
        }
        boolean started = false;
        try {
            String flag = "--peer-addresses=" + VICTIM + "=127.0.0.1:" + relay.port();
            ProcessCluster cluster = processes.start(List.of(flag));
            started = true;
            return new LocalBreakableCluster(
                    cluster,
                    relay,
                    () -> relay.delay(DELAY_NANOS),
                    () -> relay.delay(0),
                    first,
                    clock);
        } finally {
            if (!started) {
                relay.close();
            }
        }
    }

    @Override
    public String url() {
        return cluster.url();
    }

    @Override
    public void fail() throws CommandException {
        fail.run();
    }

    @Override
    public void recover() throws CommandException {
        recover.run();
    }

    @Override
    public Peaks sample() throws CommandException {
        try {
            NodeFigures figures = NodeFigures.of(first);
            return new Peaks(
                    figures.value("process_resident_memory_bytes").orElse(0),
                    ofVictim(figures, "quorate_peer_operations_in_flight"),
                    ofVictim(figures, "quorate_peer_in_flight_bytes"),
                    ofVictim(figures, "quorate_hints_pending_bytes"));
        } catch (IOException e) {
            throw new CommandException("n1 does not say how it is: " + e.getMessage(), e);
        }
    }

    private static double ofVictim(NodeFigures figures, String name) {
        return figures.value(name + "{peer=\"" + VICTIM + "\"}").orElse(0);
    }

    @Override
    public Watching watch() {
        return new Watch();
    }

    @Override
    public void close() {
        cluster.close();
        if (relay != null) {
            relay.close();
        }
    }

    private final class Watch implements Watching {

        private final Thread thread;
        private volatile Peaks peaks = Peaks.NONE;
        private volatile boolean ended;

        Watch() {
            thread = Thread.ofVirtual().name("watch").start(this::run);
        }

        private void run() {
            while (!ended) {
                try {
                    peaks = peaks.or(sample());
                } catch (CommandException e) {
                    // An overloaded node is sampled again in a moment.
                }
                clock.awaitNanos(clock.nanos() + SAMPLE_NANOS);
            }
        }

        @Override
        public Peaks peaks() {
            return peaks;
        }

        @Override
        public void close() {
            ended = true;
            thread.interrupt();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
