package dev.quorate.loadtest.pressure;

import dev.quorate.loadtest.metrics.NodeFigures;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Samples the memory of all nodes several times a second, and stores the maximum. */
final class Watch implements AutoCloseable {

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final List<InetSocketAddress> nodes;
    private final Thread thread;
    private volatile boolean ended;
    private volatile double heapMebibytes;

    Watch(List<InetSocketAddress> nodes) {
        this.nodes = nodes;
        thread = Thread.ofPlatform().name("watch").daemon().start(this::sample);
    }

    private void sample() {
        while (!ended) {
            for (InetSocketAddress node : nodes) {
                try {
                    heapMebibytes = Math.max(heapMebibytes, NodeFigures.of(node).heapMebibytes());
                } catch (IOException e) {
                    // An overloaded node is sampled again in a moment.
                }
            }
            LockSupport.parkNanos(PERIOD_NANOS);
        }
    }

    /** The most that was in any node's heap, garbage included. */
    double heapMebibytes() {
        return heapMebibytes;
    }

    @Override
    public void close() {
        ended = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
