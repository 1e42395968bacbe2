package dev.quorate.testkit.conditional;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;

/** Delivers messages in any order, late, twice or never. */
final class Network {

    /**
     * @param isHint whether it may arrive hours later; all else is under way no longer than an
     *     exchange takes
     */
    private record Message(Runnable arrival, boolean isHint) {}

    private final Random random;
    private final List<SimulatedReplica> replicas;
    private final Consumer<SimulatedReplica> arrived;
    private final List<Message> messages = new ArrayList<>();

    /**
     * @param arrived called with each replica that a message has reached
     */
    Network(Random random, List<SimulatedReplica> replicas, Consumer<SimulatedReplica> arrived) {
        this.random = random;
        this.replicas = replicas;
        this.arrived = arrived;
    }

    /** Asks some replicas; the answers go to whoever asked, unless it has moved on. */
    <T> void ask(
            SimulatedReplica node,
            IntPredicate isAsked,
            Function<SimulatedReplica, T> question,
            BiConsumer<Integer, T> answered) {
        ask(node, isAsked, question, answered, false);
    }

    /** Asks every replica. */
    <T> void ask(
            SimulatedReplica node,
            Function<SimulatedReplica, T> question,
            BiConsumer<Integer, T> answered) {
        ask(node, _ -> true, question, answered, false);
    }

    /** The same, but some replicas are asked long after the others, as by a hint. */
    <T> void askWithHints(
            SimulatedReplica node,
            Function<SimulatedReplica, T> question,
            BiConsumer<Integer, T> answered) {
        ask(node, _ -> true, question, answered, true);
    }

    private <T> void ask(
            SimulatedReplica node,
            IntPredicate isAsked,
            Function<SimulatedReplica, T> question,
            BiConsumer<Integer, T> answered,
            boolean hasHints) {
        for (SimulatedReplica replica : replicas) {
            if (!isAsked.test(replica.number)) {
                continue;
            }
            long sent = node.reading();
            Runnable arrival =
                    () -> {
                        if (replica.isDown) {
                            return;
                        }
                        replica.observe(sent);
                        T answer = question.apply(replica);
                        arrived.accept(replica);
                        long reading = replica.reading();
                        later(
                                () -> {
                                    node.observe(reading);
                                    answered.accept(replica.number, answer);
                                });
                    };
            if (hasHints && random.nextInt(3) == 0) {
                messages.addFirst(new Message(arrival, true));
            } else {
                messages.add(new Message(arrival, false));
            }
        }
    }

    void later(Runnable event) {
        messages.add(new Message(event, false));
    }

    void deliver(int lossPercent) {
        if (messages.isEmpty()) {
            return;
        }
        // Mostly of the latest, so that some stay behind for long.
        int span = random.nextInt(5) == 0 ? messages.size() : Math.min(10, messages.size());
        int index = messages.size() - 1 - random.nextInt(span);
        boolean isTwice = lossPercent > 0 && random.nextInt(30) == 0;
        Message message = isTwice ? messages.get(index) : messages.remove(index);
        if (random.nextInt(100) >= lossPercent) {
            message.arrival().run();
        }
    }

    /** The longest time that an exchange takes is over. */
    void endExchanges() {
        messages.removeIf(message -> !message.isHint());
    }
}
