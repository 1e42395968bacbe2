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
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Takes the steps of a conditional write on one node. */
final class RoundDriver {

    private final ProtocolSimulation simulation;
    private final SimulatedReplica node;
    private final ConditionalRequest request;

    /** Whether the node uses its own replica, if it has one. */
    private final boolean isOwner;

    private final ConditionalRound round;

    /** Receives the verdict, and whether the write may have been proposed. */
    private final BiConsumer<Verdict, Boolean> done;

    /** The number of the last question: answers to others are ignored. */
    private int question;

    private int ballotsLeft;

    /** The epoch of the current ballot. */
    private Epoch epoch;

    RoundDriver(
            ProtocolSimulation simulation,
            SimulatedReplica node,
            ConditionalRequest request,
            boolean isOwner,
            BiConsumer<Verdict, Boolean> done) {
        this.simulation = simulation;
        this.node = node;
        this.request = request;
        this.isOwner = isOwner;
        this.epoch = simulation.owners.of(node);
        this.round = new ConditionalRound(request, epoch.majority(), self());
        this.done = done;
        this.ballotsLeft = simulation.random.nextInt(4) == 0 ? simulation.random.nextInt(3) : 20;
    }

    void begin() {
        ProtocolSimulation.KeptLead kept = simulation.leads.remove(node.number);
        take(
                kept == null || kept.epoch() != epoch.number()
                        ? round.begin(node.next())
                        : round.beginInLead(kept.lead()));
    }

    private int self() {
        return isOwner ? epoch.index(node) : ConditionalRound.NO_OWNER;
    }

    /** Each ballot has the owners of the epoch that the node knows then. */
    private void beginAgain() {
        if (epoch.number() != node.epoch) {
            epoch = simulation.owners.of(node);
            round.elect(epoch.majority(), self());
        }
        take(round.begin(node.next()));
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
                node.observe(after.hybrid());
                int own = ++question;
                if (--ballotsLeft < 0) {
                    take(round.onDeadline());
                } else {
                    simulation.network.later(
                            () -> {
                                if (own == question) {
                                    beginAgain();
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
                    simulation.network.askMajority(
                            node,
                            replica -> replica.store(chosen),
                            false,
                            () -> answer(verdict, lead));
                } else {
                    if (simulation.random.nextInt(4) > 0) {
                        simulation.network.askMajority(
                                node, replica -> replica.store(chosen), false, () -> {});
                    }
                    answer(verdict, lead);
                }
            }
        }
    }

    private void askToAccept(ConditionalStep.Accept step) {
        switch (step.owners()) {
            case ALL -> {
                if (simulation.mistake == Mistake.DECIDES_WHILE_KEYS_MOVE
                        && epoch.majority().isJoint()
                        && epoch.index(node) >= 0) {
                    decideWhileKeysMove(step);
                } else {
                    ask(step, _ -> true);
                }
            }
            case OTHERS -> ask(step, owner -> owner != self());
            case SELF -> {
                if (simulation.mistake == Mistake.DECIDES_ALONE) {
                    question++;
                    take(round.answered(self(), AcceptorAnswer.Done.DONE));
                    return;
                }
                ask(step, owner -> owner == self());
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
                epoch,
                isAsked,
                replica -> replica.ask(step),
                new Network.Answers<AcceptorAnswer>() {
                    @Override
                    public void answered(int owner, AcceptorAnswer answer) {
                        if (own == question) {
                            take(round.answered(owner, answer));
                        }
                    }

                    @Override
                    public void refused(int owner, boolean isDone) {
                        if (own == question) {
                            RoundDriver.this.refused(owner, isDone);
                        }
                    }
                });
    }

    /** The ballot is lost if the owners are others now. */
    private void refused(int owner, boolean isDone) {
        if (node.epoch == epoch.number()) {
            take(
                    round.answered(
                            owner,
                            isDone
                                    ? AcceptorAnswer.Failed.FAILED
                                    : AcceptorAnswer.Failed.NOT_ASKED));
            return;
        }
        question++;
        if (--ballotsLeft < 0) {
            take(round.onDeadline());
        } else {
            beginAgain();
        }
    }

    private void decideWhileKeysMove(ConditionalStep.Accept step) {
        int own = ++question;
        Network.Answers<AcceptorAnswer> answers =
                (owner, answer) -> {
                    if (own == question) {
                        take(round.answered(owner, answer));
                    }
                };
        var deciding =
                new ConditionalStep.Accept(
                        step.ballot(), step.proposal(), ConditionalStep.Owners.OTHERS, true);
        int self = epoch.index(node);
        simulation.network.ask(
                node,
                epoch,
                owner -> owner == self,
                replica -> replica.ask(step),
                (owner, answer) -> {
                    if (own == question && answer == AcceptorAnswer.Done.DONE) {
                        simulation.network.ask(
                                node,
                                epoch,
                                other -> other != self,
                                replica -> replica.ask(deciding),
                                answers);
                    }
                    answers.answered(owner, answer);
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
            simulation.leads.put(
                    node.number, new ProtocolSimulation.KeptLead(lead, epoch.number()));
        }
        done.accept(verdict, round.isProposed());
    }
}
