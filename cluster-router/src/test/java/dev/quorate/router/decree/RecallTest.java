package dev.quorate.router.decree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Seed;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Acceptors lose their disks, and take part again by the rule of decision 0051: after all others
 * have promised two of their ballots, one after the other. Clocks differ, and follow messages.
 */
class RecallTest {

    private static final int LIVES = 40_000;
    private static final int STEPS = 200;

    private enum Mistake {
        NONE,
        TAKES_PART_AT_ONCE,
        RECALLS_FROM_SOME,
        RECALLS_NO_ACCEPTANCE
    }

    private enum Purpose {
        CHOOSE,
        RECALL,
        RECALL_AGAIN
    }

    /** A cluster, until it has chosen two values or is over. */
    private static final class Life {

        private final SplittableRandom random;
        private final Mistake mistake;
        private final int members;
        private final Decree[] acceptors;
        private final boolean[] isLearner;
        private final long[] clocks;
        private final int[] lives;
        private final List<Runnable> network = new ArrayList<>();
        private @Nullable String chosen;
        private boolean isBroken;
        private int values;

        Life(SplittableRandom random, Mistake mistake) {
            this.random = random;
            this.mistake = mistake;
            this.members = random.nextInt(2, 6);
            this.acceptors = new Decree[members];
            this.isLearner = new boolean[members];
            this.clocks = new long[members];
            this.lives = new int[members];
            Arrays.fill(acceptors, Decree.NONE);
        }

        boolean isBroken() {
            for (int i = 0; i < STEPS && !isBroken; i++) {
                int member = random.nextInt(members);
                switch (random.nextInt(24)) {
                    case 0, 1 -> {
                        if (isLearner[member]) {
                            begin(member, Purpose.RECALL);
                        } else {
                            begin(member, Purpose.CHOOSE);
                        }
                    }
                    case 2 -> clocks[member] += random.nextInt(40);
                    case 3 -> {
                        if (random.nextInt(4) == 0) {
                            loseDisk(member);
                        }
                    }
                    default -> deliver();
                }
            }
            return isBroken;
        }

        private void loseDisk(int member) {
            acceptors[member] = Decree.NONE;
            isLearner[member] = mistake != Mistake.TAKES_PART_AT_ONCE;
            clocks[member] = 0;
            lives[member]++;
        }

        private void deliver() {
            if (!network.isEmpty()) {
                int at = random.nextInt(network.size());
                Runnable message = network.get(at);
                int fate = random.nextInt(10);
                if (fate != 0) {
                    network.remove(at); // else it is delivered again
                }
                if (fate != 1) {
                    message.run(); // else it is lost
                }
            }
        }

        private void begin(int proposer, Purpose purpose) {
            Timestamp ballot = new Timestamp(++clocks[proposer], proposer);
            values++;
            int others = members - 1;
            int needed =
                    purpose == Purpose.CHOOSE
                            ? members / 2 + 1
                            : mistake == Mistake.RECALLS_FROM_SOME
                                    ? Math.max(1, others / 2)
                                    : others;
            String own = purpose == Purpose.CHOOSE ? "v" + values : "";
            ask(proposer, purpose, new DecreeRound(ballot, own, needed), "");
        }

        private void ask(int proposer, Purpose purpose, DecreeRound round, String value) {
            for (int i = 0; i < members; i++) {
                if (i == proposer && purpose != Purpose.CHOOSE) {
                    continue;
                }
                int acceptor = i;
                long sent = clocks[proposer];
                int life = lives[acceptor];
                network.add(
                        () -> {
                            if (life == lives[acceptor]) {
                                asked(acceptor, proposer, purpose, round, value, sent);
                            }
                        });
            }
        }

        private void asked(
                int acceptor,
                int proposer,
                Purpose purpose,
                DecreeRound round,
                String value,
                long sent) {
            clocks[acceptor] = Math.max(clocks[acceptor], sent);
            if (isLearner[acceptor]) {
                return;
            }
            Decree before = acceptors[acceptor];
            Decree after =
                    value.isEmpty()
                            ? before.promise(round.ballot())
                            : before.accept(round.ballot(), value);
            acceptors[acceptor] = after;
            long answered = clocks[acceptor];
            int life = lives[proposer];
            network.add(
                    () -> {
                        if (life == lives[proposer]) {
                            clocks[proposer] = Math.max(clocks[proposer], answered);
                            answered(proposer, purpose, round, !value.isEmpty(), acceptor, after);
                        }
                    });
        }

        private void answered(
                int proposer,
                Purpose purpose,
                DecreeRound round,
                boolean ofProposal,
                int acceptor,
                Decree state) {
            switch (round.answered("a" + acceptor, ofProposal, state)) {
                case PROPOSE -> {
                    switch (purpose) {
                        case CHOOSE -> ask(proposer, purpose, round, round.value());
                        case RECALL -> begin(proposer, Purpose.RECALL_AGAIN);
                        case RECALL_AGAIN -> recalled(proposer, round);
                    }
                }
                case CHOSEN -> {
                    isBroken |= chosen != null && !chosen.equals(round.value());
                    chosen = round.value();
                }
                case WAIT, OUTBID -> {}
            }
        }

        private void recalled(int member, DecreeRound round) {
            if (isLearner[member]) {
                isLearner[member] = false;
                acceptors[member] =
                        mistake == Mistake.RECALLS_NO_ACCEPTANCE
                                ? Decree.NONE.promise(round.ballot())
                                : new Decree(round.ballot(), round.newest(), round.value());
            }
        }
    }

    private static int broken(Mistake mistake) {
        SplittableRandom random = new SplittableRandom(Seed.random("RecallTest").nextLong());
        int broken = 0;
        for (int i = 0; i < LIVES; i++) {
            broken += new Life(random.split(), mistake).isBroken() ? 1 : 0;
        }
        return broken;
    }

    @Test
    void oneValueIsChosenAlthoughDisksAreLost() {
        assertThat(broken(Mistake.NONE)).isZero();
    }

    @Test
    void mistakesAreNoticed() {
        for (Mistake mistake : Mistake.values()) {
            if (mistake != Mistake.NONE) {
                assertThat(broken(mistake)).as("%s", mistake).isPositive();
            }
        }
    }
}
