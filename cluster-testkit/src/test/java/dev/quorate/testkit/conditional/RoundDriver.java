package dev.quorate.testkit.conditional;

import dev.quorate.node.conditional.ConditionalRound;
import dev.quorate.node.conditional.ConditionalRound.Step;
import dev.quorate.node.conditional.Current;
import dev.quorate.node.conditional.Lead;
import dev.quorate.node.conditional.Verdict;
import dev.quorate.storage.Timestamp;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes the steps of a conditional write on one node. */
final class RoundDriver {

    private static final int MAX_BALLOTS = 20;

    private final ProtocolSimulation simulation;
    private final SimulatedReplica node;
    private final ConditionalRound round;
    private final Consumer<Verdict> done;

    /** The number of the last question: answers to others are ignored. */
    private int question;

    private int ballots;

    RoundDriver(
            ProtocolSimulation simulation,
            SimulatedReplica node,
            ConditionalRound round,
            Consumer<Verdict> done) {
        this.simulation = simulation;
        this.node = node;
        this.round = round;
        this.done = done;
    }

    void begin() {
        Lead lead = simulation.leads.remove(node.number);
        take(lead == null ? round.begin(node.next()) : round.beginInLead(lead));
    }

    private void take(Step step) {
        switch (step) {
            case Step.Wait _ -> {}
            case Step.Prepare _, Step.Store _, Step.Accept _, Step.Close _, Step.Deny _ -> {
                int own = ++question;
                simulation.network.ask(
                        node,
                        replica -> replica.ask(step),
                        (replica, answer) -> {
                            if (own == question) {
                                take(round.answered(replica, answer));
                            }
                        });
            }
            case Step.Stamp(long after) -> {
                node.observe(after);
                take(round.stamped(node.next()));
            }
            case Step.Retry(Timestamp after) -> {
                int own = ++question;
                ballots++;
                node.observe(after.hybrid());
                if (ballots > MAX_BALLOTS) {
                    take(round.giveUp());
                } else {
                    simulation.network.later(
                            () -> {
                                if (own == question) {
                                    take(round.begin(node.next()));
                                }
                            });
                }
            }
            case Step.Answer(Verdict verdict, Current chosen) -> {
                question++;
                Lead lead = round.lead();
                if (chosen == null) {
                    answer(verdict, lead);
                } else if (simulation.storesBeforeItAnswers) {
                    store(chosen, () -> answer(verdict, lead));
                } else {
                    if (simulation.random.nextInt(4) > 0) {
                        store(chosen, () -> {});
                    }
                    answer(verdict, lead);
                }
            }
        }
    }

    private void answer(Verdict verdict, @Nullable Lead lead) {
        if (lead != null) {
            simulation.leads.put(node.number, lead);
        }
        done.accept(verdict);
    }

    private void store(Current chosen, Runnable stored) {
        Set<Integer> holders = new HashSet<>();
        simulation.network.ask(
                node,
                replica -> replica.store(chosen),
                (replica, _) -> {
                    if (holders.add(replica) && holders.size() == simulation.majority) {
                        stored.run();
                    }
                });
    }
}
