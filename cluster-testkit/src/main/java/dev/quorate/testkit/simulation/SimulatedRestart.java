package dev.quorate.testkit.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Drains, stops and starts one node after the other, as for a new release: the next one when all
 * others send requests to the previous one again. One rolling restart runs at a time.
 */
final class SimulatedRestart {

    private static final long POLL_NANOS = 20_000_000;
    private static final int MAX_POLLS = 250;

    private final Machines machines;
    private final BooleanSupplier isOver;
    private final Deque<SimulatedNode> left = new ArrayDeque<>();
    private @Nullable SimulatedNode current;

    /** The number of the life to end. */
    private int life;

    private int polls;

    SimulatedRestart(Machines machines, BooleanSupplier isOver) {
        this.machines = machines;
        this.isOver = isOver;
    }

    /** Starts a rolling restart, unless one is running. */
    void begin() {
        if (current == null) {
            left.addAll(machines.nodes);
            next();
        }
    }

    private void next() {
        SimulatedNode node = left.poll();
        while (node != null && !node.takesRequests()) {
            node = left.poll(); // another fault affects it
        }
        current = node;
        if (node != null) {
            machines.record(node + " is drained and stopped");
            life = node.life();
            polls = 0;
            node.stop();
            pollLater(node);
        }
    }

    private void pollLater(SimulatedNode node) {
        machines.queue.after(POLL_NANOS, () -> poll(node));
    }

    private void poll(SimulatedNode node) {
        if (isOver.getAsBoolean() || ++polls > MAX_POLLS) {
            left.clear();
            current = null;
            return;
        }
        if (!node.isUp()) {
            machines.record(node + " starts");
            node.start();
        }
        if (node.life() != life && node.isKnownTo(machines.nodes)) {
            next();
        } else {
            pollLater(node);
        }
    }
}
