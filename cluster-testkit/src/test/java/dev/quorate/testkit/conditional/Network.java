package dev.quorate.testkit.conditional;

import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.AcceptorAnswer.Done;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Delivers messages in any order, late, twice or never. A message belongs to the epoch in which it
 * was planned: a replica takes it, and answers it, only in that epoch.
 */
final class Network {

    /** The owners are given by their index in the epoch. */
    @FunctionalInterface
    interface Answers<T> {

        void answered(int owner, T answer);

        /**
         * The replica is in another epoch, which the coordinator knows now if it is later.
         *
         * @param isDone whether the replica may have done what it was asked
         */
        default void refused(int owner, boolean isDone) {}
    }

    /**
     * @param isHint whether it may arrive hours later; all else is under way no longer than an
     *     exchange takes
     * @param disk the replica whose disk it waits for; null if it is under way
     * @param epoch its own, if it waits for a disk
     */
    private record Message(
            Runnable arrival, boolean isHint, @Nullable SimulatedReplica disk, int epoch) {

        Message(Runnable arrival, boolean isHint) {
            this(arrival, isHint, null, 0);
        }
    }

    /** A question to some owners. */
    private record Question<T>(
            SimulatedReplica node,
            Epoch epoch,
            Function<SimulatedReplica, T> question,
            Answers<T> answers) {}

    private final ProtocolSimulation simulation;
    private final Random random;
    private final Consumer<SimulatedReplica> arrived;
    private final List<Message> messages = new ArrayList<>();

    /**
     * @param arrived called with each replica that a message has reached
     */
    Network(ProtocolSimulation simulation, Consumer<SimulatedReplica> arrived) {
        this.simulation = simulation;
        this.random = simulation.random;
        this.arrived = arrived;
    }

    /** Asks some owners. Answers to an earlier question are dropped. */
    <T> void ask(
            SimulatedReplica node,
            Epoch epoch,
            IntPredicate isAsked,
            Function<SimulatedReplica, T> question,
            Answers<T> answers) {
        ask(new Question<>(node, epoch, question, answers), isAsked, false);
    }

    /**
     * Asks every owner to do something, until a majority of each group has done it; once more if
     * the owners are others meanwhile.
     *
     * @param hasHints whether some owners are asked long after the others, as by a hint
     */
    void askMajority(
            SimulatedReplica node,
            Function<SimulatedReplica, AcceptorAnswer> question,
            boolean hasHints,
            Runnable done) {
        Epoch epoch = simulation.owners.of(node);
        var answers =
                new Answers<AcceptorAnswer>() {
                    private long stored;
                    private boolean isOver;

                    @Override
                    public void answered(int owner, AcceptorAnswer answer) {
                        stored |= answer == Done.DONE ? 1L << owner : 0;
                        if (!isOver && epoch.majority().isQuorum(stored)) {
                            isOver = true;
                            done.run();
                        }
                    }

                    @Override
                    public void refused(int owner, boolean isDone) {
                        if (!isOver && node.epoch > epoch.number()) {
                            isOver = true;
                            askMajority(node, question, hasHints, done);
                        }
                    }
                };
        ask(new Question<>(node, epoch, question, answers), _ -> true, hasHints);
    }

    private <T> void ask(Question<T> asked, IntPredicate isAsked, boolean hasHints) {
        for (int i = 0; i < asked.epoch().members().size(); i++) {
            if (!isAsked.test(i)) {
                continue;
            }
            int owner = i;
            SimulatedReplica replica = simulation.replicas.get(asked.epoch().members().get(i));
            long sent = asked.node().reading();
            boolean isHint = hasHints && random.nextInt(3) == 0;
            Runnable arrival = () -> arrive(asked, owner, replica, sent, isHint);
            if (isHint) {
                messages.addFirst(new Message(arrival, true));
            } else {
                messages.add(new Message(arrival, false));
            }
        }
    }

    private <T> void arrive(
            Question<T> asked, int owner, SimulatedReplica replica, long sent, boolean isHint) {
        if (replica.isDown) {
            return;
        }
        boolean isOfAnOwner = isHint && simulation.owners.of(replica).index(replica) >= 0;
        if (replica.epoch != asked.epoch().number() && !isOfAnOwner) {
            refuse(asked, owner, replica, false);
            return;
        }
        replica.observe(sent);
        if (simulation.isChanging && random.nextInt(simulation.diskWait) == 0) {
            int cleanings = replica.cleanings;
            Runnable stored =
                    () -> {
                        if (replica.cleanings == cleanings) {
                            answer(asked, owner, replica);
                        }
                    };
            messages.add(new Message(stored, false, replica, asked.epoch().number()));
        } else {
            answer(asked, owner, replica);
        }
    }

    private <T> void answer(Question<T> asked, int owner, SimulatedReplica replica) {
        if (replica.isDown) {
            return;
        }
        T answer = asked.question().apply(replica);
        arrived.accept(replica);
        if (replica.epoch != asked.epoch().number()
                && simulation.mistake != Mistake.ANSWERS_IN_ANOTHER_EPOCH) {
            refuse(asked, owner, replica, true);
            return;
        }
        long reading = replica.reading();
        later(
                () -> {
                    asked.node().observe(reading);
                    asked.answers().answered(owner, answer);
                });
    }

    private <T> void refuse(
            Question<T> asked, int owner, SimulatedReplica replica, boolean isDone) {
        if (random.nextBoolean()) {
            replica.learns(asked.epoch().number());
        }
        int epoch = replica.epoch;
        later(
                () -> {
                    asked.node().learns(epoch);
                    asked.answers().refused(owner, isDone);
                });
    }

    /** Whether a replica has not stored all that it took in earlier epochs. */
    boolean isBehind(SimulatedReplica replica) {
        return messages.stream()
                .anyMatch(each -> each.disk() == replica && each.epoch() < replica.epoch);
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
