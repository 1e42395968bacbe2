package dev.quorate.testkit.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Drains, stops and starts one node after the other, as for a new release: the next one when all
 * others ask the one before again. There is one of these at a time.
 */
final class RollingRestart {

    private static final long LOOK_NANOS = 20_000_000;
    private static final int MAX_LOOKS = 250;

    private final EventQueue queue;
    private final List<SimulatedNode> nodes;
    private final Story story;
    private final BooleanSupplier isOver;
    private final Deque<SimulatedNode> left = new ArrayDeque<>();
    private @Nullable SimulatedNode current;

    /** The number of the life that is to end. */
    private int life;

    private int looks;

    RollingRestart(
            EventQueue queue, List<SimulatedNode> nodes, Story story, BooleanSupplier isOver) {
        this.queue = queue;
        this.nodes = nodes;
        this.story = story;
        this.isOver = isOver;
    }

    /** Begins, unless one is under way. */
    void begin() {
        if (current == null) {
            left.addAll(nodes);
            next();
        }
    }

    private void next() {
        SimulatedNode node = left.poll();
        while (node != null && !node.takesRequests()) {
            node = left.poll(); // something else is the matter with it
        }
        current = node;
        if (node != null) {
            story.tell(node + " is drained and stopped");
            life = node.life();
            looks = 0;
            node.stop();
            lookLater(node);
        }
    }

    private void lookLater(SimulatedNode node) {
        queue.after(LOOK_NANOS, () -> look(node));
    }

    private void look(SimulatedNode node) {
        if (isOver.getAsBoolean() || ++looks > MAX_LOOKS) {
            left.clear();
            current = null;
            return;
        }
        if (!node.isUp()) {
            story.tell(node + " starts");
            node.start();
        }
        if (node.life() != life && node.isKnownTo(nodes)) {
            next();
        } else {
            lookLater(node);
        }
    }
}
