package dev.quorate.testkit.conditional;

import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.conditional.ConditionalRound;
import dev.quorate.router.conditional.ConditionalStep;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Lead;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.conditional.Verdict;
import dev.quorate.storage.Timestamp;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Takes the steps of a conditional write on one node. */
final class RoundDriver {

    private final ProtocolSimulation simulation;
    private final SimulatedReplica node;
    private final ConditionalRequest request;
    private final ConditionalRound round;
    private final Consumer<Verdict> done;

    /** The number of the last question: answers to others are ignored. */
    private int question;

    private int ballotsLeft;

    RoundDriver(
            ProtocolSimulation simulation,
            SimulatedReplica node,
            ConditionalRequest request,
            ConditionalRound round,
            Consumer<Verdict> done) {
        this.simulation = simulation;
        this.node = node;
        this.request = request;
        this.round = round;
        this.done = done;
        this.ballotsLeft = simulation.random.nextInt(4) == 0 ? simulation.random.nextInt(3) : 20;
    }

    void begin() {
        Lead lead = simulation.leads.remove(node.number);
        take(lead == null ? round.begin(node.next()) : round.beginInLead(lead));
    }

    private void take(ConditionalStep step) {
        switch (step) {
            case ConditionalStep.Wait _ -> {}
            case ConditionalStep.Ask _, ConditionalStep.Store _ -> ask(mistaken(step), _ -> true);
            case ConditionalStep.Accept accept -> askToAccept(accept);
            case ConditionalStep.Stamp(long after) -> {
                node.observe(after);
                take(round.stamped(node.next()));
            }
            case ConditionalStep.Retry(Timestamp after) -> {
                int own = ++question;
                ballotsLeft--;
                node.observe(after.hybrid());
                if (ballotsLeft < 0) {
                    take(round.onDeadline());
                } else {
                    simulation.network.later(
                            () -> {
                                if (own == question) {
                                    take(round.begin(node.next()));
                                }
                            });
                }
            }
            case ConditionalStep.Answer(Verdict verdict, Current chosen) -> {
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

    private void askToAccept(ConditionalStep.Accept step) {
        switch (step.owners()) {
            case ALL -> ask(step, _ -> true);
            case OTHERS -> ask(step, replica -> replica != node.number);
            case SELF -> {
                if (simulation.mistake == Mistake.DECIDES_ALONE) {
                    question++;
                    take(round.answered(node.number, AcceptorAnswer.Done.DONE));
                    return;
                }
                ask(step, replica -> replica == node.number);
                int own = question;
                if (simulation.random.nextInt(4) == 0) {
                    simulation.network.later(
                            () -> {
                                if (own == question) {
                                    take(round.onLocalTimeout());
                                }
                            });
                }
            }
        }
    }

    private void ask(ConditionalStep step, IntPredicate isAsked) {
        int own = ++question;
        simulation.network.ask(
                node,
                isAsked,
                replica -> replica.ask(step),
                (replica, answer) -> {
                    if (own == question) {
                        take(round.answered(replica, answer));
                    }
                });
    }

    private ConditionalStep mistaken(ConditionalStep step) {
        return simulation.mistake == Mistake.FINISHES_WHAT_WAS_DENIED
                        && step
                                instanceof
                                ConditionalStep.Ask(
                                        Question.Prepare(var ballot, var versions, var origin))
                        && !origin.equals(request.origin())
                ? new ConditionalStep.Ask(new Question.Prepare(ballot, versions, Timestamp.ZERO))
                : step;
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
