package dev.quorate.router.decree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.router.Seed;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One value is chosen, whatever is lost, delayed, repeated or forgotten by a proposer. */
class DecreeTest {

    private static final int LIVES = 20_000;
    private static final int STEPS = 120;

    private enum Mistake {
        NONE,
        TWO_OF_FIVE_CHOOSE,
        AN_ACCEPTOR_FORGETS,
        TOO_FEW_REMIND_AN_ACCEPTOR,
        ACCEPTED_VALUES_ARE_IGNORED
    }

    private record Message(DecreeRound to, String acceptor, boolean ofProposal, Decree state) {}

    private record Request(
            DecreeRound from, int acceptor, boolean ofProposal, Timestamp ballot, String value) {}

    /** Returns the second value that was chosen; null if there is none. */
    private static @Nullable String life(SplittableRandom random, Mistake mistake) {
        int members = random.nextInt(1, 6);
        int needed = mistake == Mistake.TWO_OF_FIVE_CHOOSE ? members / 2 : members / 2 + 1;
        Decree[] acceptors = new Decree[members];
        Arrays.fill(acceptors, Decree.NONE);
        int reminding = (members + 1) / 2 - (mistake == Mistake.TOO_FEW_REMIND_AN_ACCEPTOR ? 1 : 0);
        // Of each acceptor that has forgotten its state, the ballot in which it is reminded.
        Map<Integer, DecreeRound> forgetful = new HashMap<>();
        List<Request> requests = new ArrayList<>();
        List<Message> answers = new ArrayList<>();
        String chosen = null;
        for (int step = 1; step <= STEPS; step++) {
            switch (random.nextInt(mistake == Mistake.AN_ACCEPTOR_FORGETS ? 23 : 22)) {
                case 0 -> {
                    Timestamp ballot = new Timestamp(step, random.nextInt(3));
                    DecreeRound round = new DecreeRound(ballot, "v" + step, Math.max(needed, 1));
                    for (int i = 0; i < members; i++) {
                        requests.add(new Request(round, i, false, ballot, ""));
                    }
                }
                case 20, 21 -> {
                    int at = random.nextInt(members);
                    if (members > 1) { // or it would be alone
                        Timestamp ballot = new Timestamp(step, 3);
                        DecreeRound round = new DecreeRound(ballot, "", Math.max(reminding, 1));
                        boolean isNew = forgetful.put(at, round) == null;
                        if (isNew || random.nextBoolean()) {
                            acceptors[at] = Decree.NONE;
                        }
                        for (int i = 0; i < members; i++) {
                            if (i != at) {
                                requests.add(new Request(round, i, false, ballot, ""));
                            }
                        }
                    }
                }
                case 22 -> acceptors[random.nextInt(members)] = Decree.NONE;
                default -> {
                    boolean delivers = random.nextBoolean();
                    if (delivers && !requests.isEmpty()) {
                        int at = random.nextInt(requests.size());
                        Request asked = requests.get(at);
                        if (random.nextInt(8) > 0) {
                            requests.remove(at); // else it is delivered again
                        }
                        if (forgetful.containsKey(asked.acceptor)) {
                            continue;
                        }
                        Decree before = acceptors[asked.acceptor];
                        Decree after =
                                asked.ofProposal
                                        ? before.accept(asked.ballot, asked.value)
                                        : before.promise(asked.ballot);
                        acceptors[asked.acceptor] = after;
                        Decree told =
                                mistake == Mistake.ACCEPTED_VALUES_ARE_IGNORED && !asked.ofProposal
                                        ? new Decree(after.promised(), Timestamp.ZERO, "")
                                        : after;
                        answers.add(
                                new Message(
                                        asked.from, "a" + asked.acceptor, asked.ofProposal, told));
                    } else if (!answers.isEmpty()) {
                        Message answer = answers.remove(random.nextInt(answers.size()));
                        DecreeRound round = answer.to;
                        if (random.nextInt(8) == 0) {
                            continue; // lost
                        }
                        switch (round.answered(answer.acceptor, answer.ofProposal, answer.state)) {
                            case PROPOSE -> {
                                if (forgetful.containsValue(round)) {
                                    forgetful
                                            .entrySet()
                                            .removeIf(
                                                    each -> {
                                                        if (each.getValue() != round) {
                                                            return false;
                                                        }
                                                        acceptors[each.getKey()] =
                                                                new Decree(
                                                                        round.ballot(),
                                                                        round.newest(),
                                                                        round.value());
                                                        return true;
                                                    });
                                }
                                if (round.ballot().node() == 3) {
                                    continue; // it only reminded
                                }
                                for (int i = 0; i < members; i++) {
                                    requests.add(
                                            new Request(
                                                    round, i, true, round.ballot(), round.value()));
                                }
                            }
                            case CHOSEN -> {
                                if (chosen != null && !chosen.equals(round.value())) {
                                    return round.value();
                                }
                                chosen = round.value();
                            }
                            case WAIT, OUTBID -> {}
                        }
                    }
                }
            }
        }
        return null;
    }

    private static int livesWithTwoValues(Mistake mistake) {
        SplittableRandom random = new SplittableRandom(Seed.random("DecreeTest").nextLong());
        int wrong = 0;
        for (int i = 0; i < LIVES; i++) {
            wrong += life(random.split(), mistake) == null ? 0 : 1;
        }
        return wrong;
    }

    @Test
    void oneValueIsChosen() {
        assertThat(livesWithTwoValues(Mistake.NONE)).isZero();
    }

    @Test
    void mistakesAreNoticed() {
        for (Mistake mistake : Mistake.values()) {
            if (mistake != Mistake.NONE) {
                assertThat(livesWithTwoValues(mistake)).as("%s", mistake).isPositive();
            }
        }
    }

    @Test
    void anAcceptorKeepsItsPromise() {
        Timestamp low = new Timestamp(5, 1);
        Timestamp high = new Timestamp(6, 1);
        Decree promised = Decree.NONE.promise(high);
        assertThat(promised.promise(low)).isEqualTo(promised);
        assertThat(promised.accept(low, "a")).isEqualTo(promised);
        assertThat(promised.accept(high, "a")).isEqualTo(new Decree(high, high, "a"));
        assertThat(Decree.NONE.promise(low).accept(high, "a").promised()).isEqualTo(high);
    }

    @Test
    void anImpossibleStateIsRefused() {
        Timestamp one = new Timestamp(1, 1);
        assertThatThrownBy(() -> new Decree(Timestamp.ZERO, one, "a"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Decree(one, one, ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Decree(one, Timestamp.ZERO, "a"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRoundCountsEachAcceptorOnceAndOnlyItsOwnPhase() {
        Timestamp ballot = new Timestamp(9, 1);
        DecreeRound round = new DecreeRound(ballot, "own", 2);
        Decree promised = Decree.NONE.promise(ballot);
        assertThat(round.answered("a", false, promised)).isEqualTo(DecreeRound.Step.WAIT);
        assertThat(round.answered("a", false, promised)).isEqualTo(DecreeRound.Step.WAIT);
        Decree older = Decree.NONE.accept(new Timestamp(3, 1), "older").promise(ballot);
        assertThat(round.answered("b", false, older)).isEqualTo(DecreeRound.Step.PROPOSE);
        assertThat(round.value()).isEqualTo("older");
        Decree accepted = promised.accept(ballot, "older");
        assertThat(round.answered("c", false, promised)).isEqualTo(DecreeRound.Step.WAIT);
        assertThat(round.answered("a", true, accepted)).isEqualTo(DecreeRound.Step.WAIT);
        Decree outbid = accepted.promise(new Timestamp(10, 1));
        assertThat(round.answered("b", true, outbid)).isEqualTo(DecreeRound.Step.OUTBID);
        assertThat(round.answered("c", true, accepted)).isEqualTo(DecreeRound.Step.WAIT);
    }
}
