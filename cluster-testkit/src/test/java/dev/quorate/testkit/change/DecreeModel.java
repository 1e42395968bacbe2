package dev.quorate.testkit.change;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One decree of Paxos about a key whose owners change, as in conditional writes. Gainers copy the
 * records of acceptors; a copy is no vote. At most one value may be chosen. A question whether a
 * value was chosen must not be answered "never" if it was, or is later under a smaller ballot.
 */
final class DecreeModel extends ChangingOwners {

    private static final int MAX_ATTEMPTS = 5;
    private static final int MAX_VALUES = 8;

    private static final class Acceptor {
        int promised;
        int ballot;
        int value;

        /** Whether the accepted value was copied from another acceptor. */
        boolean isCopy;
    }

    /** An answer to a promise; ballot 0 if nothing was accepted. */
    private record Accepted(int ballot, int value, boolean isCopy) {}

    private static final class Proposal {
        final int coordinator;
        final int own;

        /** It only asks what was chosen. */
        final boolean asks;

        int value;
        int ballot;
        int epoch;
        int attempts;
        boolean isAccepting;
        int answered;
        int highest;
        final Accepted[] seen = new Accepted[MEMBERS];
        boolean isOver;

        Proposal(int coordinator, int own, boolean asks) {
            this.coordinator = coordinator;
            this.own = own;
            this.asks = asks;
        }
    }

    /** A value and a ballot. */
    private record Statement(int value, int ballot) {}

    private final Acceptor[] acceptors = new Acceptor[MEMBERS];
    private final Set<Integer> chosen = new HashSet<>();
    private final List<Statement> choices = new ArrayList<>();
    private final List<Statement> nevers = new ArrayList<>();
    private int proposals;
    private int ballots;

    private DecreeModel(SplittableRandom random, Mistake mistake, int[] placements, int lost) {
        super(random, mistake, placements, lost, false);
        for (int member = 0; member < MEMBERS; member++) {
            acceptors[member] = new Acceptor();
        }
    }

    static DecreeModel of(long seed, Mistake mistake) {
        SplittableRandom random = new SplittableRandom(seed);
        return random.nextInt(7) == 0
                ? new DecreeModel(random, mistake, new int[] {0b00111, 0b01011}, 2)
                : new DecreeModel(random, mistake, oneChange(random), -1);
    }

    int choices() {
        return choices.size();
    }

    @Override
    void begin(int coordinator) {
        proposals++;
        plan(new Proposal(coordinator, proposals, random.nextInt(3) == 0));
    }

    private void plan(Proposal proposal) {
        proposal.attempts++;
        if (proposal.attempts > MAX_ATTEMPTS) {
            proposal.isOver = true;
            return;
        }
        ballots++;
        proposal.ballot = ballots * MEMBERS + proposal.coordinator;
        proposal.epoch = epochOf(proposal.coordinator);
        proposal.value = proposal.own;
        proposal.highest = 0;
        askAll(proposal, false);
    }

    private void askAll(Proposal proposal, boolean toAccept) {
        proposal.isAccepting = toAccept;
        proposal.answered = 0;
        int owners = owners(proposal.epoch);
        for (int member = 0; member < MEMBERS; member++) {
            if (has(owners, member)) {
                ask(proposal, member, toAccept);
            }
        }
    }

    private void ask(Proposal proposal, int member, boolean toAccept) {
        int ballot = proposal.ballot;
        int epoch = proposal.epoch;
        int value = proposal.value;
        send(
                () -> {
                    if (isDead(member)) {
                        return;
                    }
                    if (!takes(member, epoch)) {
                        send(() -> onRefusal(proposal, ballot, member));
                        return;
                    }
                    Acceptor acceptor = acceptors[member];
                    Accepted[] before = {null};
                    write(
                            member,
                            () -> {
                                if (acceptor.promised <= ballot) {
                                    before[0] =
                                            new Accepted(
                                                    acceptor.ballot,
                                                    acceptor.value,
                                                    acceptor.isCopy);
                                    acceptor.promised = ballot;
                                    if (toAccept) {
                                        acceptor.ballot = ballot;
                                        acceptor.value = value;
                                        acceptor.isCopy = false;
                                    }
                                }
                            },
                            () -> answer(proposal, ballot, epoch, member, toAccept, before[0]));
                });
    }

    private void answer(
            Proposal proposal,
            int ballot,
            int epoch,
            int member,
            boolean toAccept,
            @Nullable Accepted accepted) {
        if (!takes(member, epoch)) {
            send(() -> onRefusal(proposal, ballot, member));
        } else if (accepted == null) {
            send(
                    () -> {
                        if (isOpen(proposal, ballot)) {
                            plan(proposal);
                        }
                    });
        } else {
            send(
                    () -> {
                        if (isOpen(proposal, ballot) && proposal.isAccepting == toAccept) {
                            onAnswer(proposal, member, accepted);
                        }
                    });
        }
    }

    private static boolean isOpen(Proposal proposal, int ballot) {
        return !proposal.isOver && proposal.ballot == ballot;
    }

    private void onRefusal(Proposal proposal, int ballot, int member) {
        if (isOpen(proposal, ballot)) {
            install(proposal.coordinator, epochOf(member));
            if (epochOf(proposal.coordinator) != proposal.epoch) {
                plan(proposal);
            }
        }
    }

    private void onAnswer(Proposal proposal, int member, Accepted accepted) {
        proposal.answered |= 1 << member;
        if (!proposal.isAccepting) {
            proposal.seen[member] = accepted;
            if (accepted.ballot() > proposal.highest) {
                proposal.highest = accepted.ballot();
                proposal.value = accepted.value();
            }
        }
        if (!isQuorum(proposal)) {
            return;
        }
        if (proposal.asks) {
            proposal.isOver = true;
            judge(proposal);
        } else if (!proposal.isAccepting) {
            askAll(proposal, true);
        } else {
            proposal.isOver = true;
            chosen.add(proposal.value);
            choices.add(new Statement(proposal.value, proposal.ballot));
            check();
        }
    }

    private boolean isQuorum(Proposal proposal) {
        int old = ownersBefore(proposal.epoch);
        int next = ownersAfter(proposal.epoch);
        boolean ofOld = count(proposal.answered & old) >= majority(old);
        boolean ofNext = count(proposal.answered & next) >= majority(next);
        boolean isJoint = isJoint(proposal.epoch);
        return switch (mistake) {
            case NEW_OWNERS_ALONE -> ofNext;
            case TWO_SUFFICE ->
                    (ofOld && ofNext)
                            || (isJoint
                                    && proposal.isAccepting
                                    && count(old) == 3
                                    && count(proposal.answered) >= 2);
            default -> ofOld && ofNext;
        };
    }

    /** Says of each value that a majority of the first group cannot have accepted it. */
    private void judge(Proposal proposal) {
        boolean asksNext = mistake == Mistake.NEW_OWNERS_ASKED;
        int group = asksNext ? ownersAfter(proposal.epoch) : ownersBefore(proposal.epoch);
        for (int value = 1; value < MAX_VALUES; value++) {
            int maybe = 0;
            for (int member = 0; member < MEMBERS; member++) {
                maybe += has(group, member) && mayHave(proposal, member, value) ? 1 : 0;
            }
            if (maybe < majority(group)) {
                nevers.add(new Statement(value, proposal.ballot));
            }
        }
        check();
    }

    private boolean mayHave(Proposal proposal, int member, int value) {
        if (!has(proposal.answered, member)) {
            return mistake != Mistake.UNANSWERED_ARE_NONE;
        }
        Accepted seen = proposal.seen[member];
        return seen.ballot() > 0
                && seen.value() == value
                && !(seen.isCopy() && mistake == Mistake.COPIES_ARE_NONE);
    }

    private void check() {
        if (chosen.size() > 1) {
            violated("two values were chosen: " + chosen);
        }
        for (Statement never : nevers) {
            for (Statement choice : choices) {
                if (never.value() == choice.value() && choice.ballot() < never.ballot()) {
                    violated(choice.value() + " was chosen, and was said to be never chosen");
                }
            }
        }
    }

    @Override
    boolean comparesNothing(int source) {
        return mistake == Mistake.RECORDS_NOT_COPIED
                || (mistake == Mistake.RECORDS_OF_LEAVERS_NOT_COPIED && isLeaving(source));
    }

    @Override
    Runnable compare(int gainer, int source) {
        Acceptor from = acceptors[source];
        int promised = from.promised;
        int ballot = from.ballot;
        int value = from.value;
        Acceptor to = acceptors[gainer];
        return () -> {
            to.promised = Math.max(to.promised, promised);
            if (ballot > to.ballot || mistake == Mistake.COPY_REPLACES_LATER) {
                to.ballot = ballot;
                to.value = value;
                to.isCopy = true;
            }
        };
    }
}
