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

    private final FaultKind kind;
    private final ProcessCluster cluster;
    private final @Nullable Relay relay;
    private final InetSocketAddress first;
    private final NanoClock clock;

    private LocalBreakableCluster(
            FaultKind kind,
            ProcessCluster cluster,
            @Nullable Relay relay,
            InetSocketAddress first,
            NanoClock clock) {
        this.kind = kind;
        this.cluster = cluster;
        this.relay = relay;
        this.first = first;
        this.clock = clock;
    }

    /**
     * Starts a cluster whose third node can have a fault. For a delay the others reach it through a
     * relay from the start, so that a healthy run includes the relay too.
     *
     * @param port of the first node
     */
    public static LocalBreakableCluster start(
            FaultKind kind, int port, Processes processes, NanoClock clock)
            throws CommandException {
        InetAddress here = InetAddress.getLoopbackAddress();
        InetSocketAddress first = new InetSocketAddress(here, port);
        if (kind != FaultKind.DELAY) {
            return new LocalBreakableCluster(kind, processes.start(List.of()), null, first, clock);
        }
        int peerPort = port + VICTIM_AT + ProcessCluster.PEER_PORT_OFFSET;
        if (peerPort > MAX_PORT) {
            throw new CommandException(
                    "%s would listen for its peers on port %d, and there is none above %d."
                            .formatted(VICTIM, peerPort, MAX_PORT));
        }
        Relay relay;
        try {
            relay = new Relay(new InetSocketAddress(here, peerPort), clock);
        } catch (IOException e) {
            throw new CommandException("there is no port for a relay: " + e.getMessage(), e);
        }
        boolean started = false;
        try {
            String flag = "--peer-addresses=" + VICTIM + "=127.0.0.1:" + relay.port();
            ProcessCluster cluster = processes.start(List.of(flag));
            started = true;
            return new LocalBreakableCluster(kind, cluster, relay, first, clock);
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
        switch (kind) {
            case PAUSE -> cluster.pause(VICTIM);
            case KILL -> cluster.kill(VICTIM);
            case DELAY -> delay(DELAY_NANOS);
            case PARTITION, STRANGERS -> throw unsupported();
        }
    }

    @Override
    public void recover() throws CommandException {
        switch (kind) {
            case PAUSE -> cluster.resume(VICTIM);
            case KILL -> cluster.start(VICTIM);
            case DELAY -> delay(0);
            case PARTITION, STRANGERS -> throw unsupported();
        }
    }

    private UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("This cluster has no fault " + kind + ".");
    }

    private void delay(long nanos) {
        if (relay != null) {
            relay.delay(nanos);
        }
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
