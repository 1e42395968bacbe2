package dev.quorate.router.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuorumTrackerTest {

    private static Electorate of(int ack, int from) {
        return Electorate.of(new QuorumSpec(ack, from));
    }

    @Test
    void reportsTheDecisionOnce() {
        QuorumTracker tracker = new QuorumTracker(of(2, 3));
        assertThat(tracker.outcome()).isEqualTo(Decision.PENDING);
        assertThat(tracker.succeeded(1)).isEqualTo(Decision.PENDING);
        assertThat(tracker.succeeded(1)).as("duplicate answer").isEqualTo(Decision.PENDING);
        assertThat(tracker.failed(1)).as("contradicting answer").isEqualTo(Decision.PENDING);
        assertThat(tracker.failed(0)).isEqualTo(Decision.PENDING);
        assertThat(tracker).hasToString("PENDING (1 succeeded, 1 failed, 2/3 needed)");
        assertThat(tracker.succeeded(2)).isEqualTo(Decision.REACHED);
        assertThat(tracker.succeeded(2)).as("after the decision").isEqualTo(Decision.SETTLED);
        assertThat(tracker.outcome()).isEqualTo(Decision.REACHED);
        assertThat(tracker.succeededMask()).isEqualTo(0b110);
        assertThat(tracker.failedMask()).isEqualTo(0b001);
    }

    @Test
    void keepsCountingAfterTheDecision() {
        QuorumTracker tracker = new QuorumTracker(of(1, 3));
        assertThat(tracker.succeeded(0)).isEqualTo(Decision.REACHED);
        assertThat(tracker.failed(1)).isEqualTo(Decision.SETTLED);
        assertThat(tracker.answered(2)).isFalse();
        assertThat(tracker.succeeded(2)).isEqualTo(Decision.SETTLED);
        assertThat(tracker.succeededMask()).isEqualTo(0b101);
    }

    @Test
    void countsTheGreatestNumberOfReplicas() {
        QuorumSpec all = new QuorumSpec(32, 32);
        QuorumTracker tracker =
                new QuorumTracker(Electorate.joint(all, -1L >>> 32, all, -1L << 32));
        for (int replica = 0; replica < 63; replica++) {
            assertThat(tracker.succeeded(replica)).isEqualTo(Decision.PENDING);
        }
        assertThat(tracker.succeeded(63)).isEqualTo(Decision.REACHED);
    }

    @Test
    void rejectsAnUnknownReplica() {
        QuorumTracker tracker = new QuorumTracker(of(1, 3));
        for (int replica : new int[] {-1, 3, 64}) {
            assertThatThrownBy(() -> tracker.succeeded(replica))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> tracker.failed(replica))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    /**
     * 1 to 5 replicas, every ack/from, every set of failed replicas, every order of the answers.
     */
    @Test
    void decidesAtTheEarliestPossibleAnswer() {
        int checked = 0;
        for (int from = 1; from <= 5; from++) {
            for (List<Integer> order : permutations(from)) {
                for (int ack = 1; ack <= from; ack++) {
                    for (int down = 0; down < 1 << from; down++) {
                        check(new QuorumSpec(ack, from), down, order);
                        checked++;
                    }
                }
            }
        }
        // The sum over from of from! · from · 2^from.
        assertThat(checked).isEqualTo(2 + 16 + 144 + 1_536 + 19_200);
    }

    private static void check(QuorumSpec spec, int down, List<Integer> order) {
        QuorumTracker tracker = new QuorumTracker(Electorate.of(spec));
        int succeeded = 0;
        int failed = 0;
        boolean decided = false;
        for (int replica : order) {
            boolean isDown = (down & 1 << replica) != 0;
            succeeded += isDown ? 0 : 1;
            failed += isDown ? 1 : 0;
            Decision expected = expected(spec, succeeded, failed, decided);
            Decision answer = isDown ? tracker.failed(replica) : tracker.succeeded(replica);
            assertThat(answer).as("%s, down %s, %s", spec, down, order).isEqualTo(expected);
            decided |= answer != Decision.PENDING;
            Decision again = isDown ? tracker.succeeded(replica) : tracker.failed(replica);
            assertThat(again).isEqualTo(decided ? Decision.SETTLED : Decision.PENDING);
        }
        int live = spec.from() - Integer.bitCount(down);
        assertThat(tracker.outcome())
                .isEqualTo(live >= spec.ack() ? Decision.REACHED : Decision.UNREACHABLE);
        assertThat(tracker.failedMask()).isEqualTo(down);
        assertThat(tracker.outcome() == Decision.REACHED).isEqualTo(live >= spec.ack());
    }

    private static Decision expected(
            QuorumSpec spec, int succeeded, int failed, boolean alreadyDecided) {
        if (alreadyDecided) {
            return Decision.SETTLED;
        }
        if (succeeded == spec.ack()) {
            return Decision.REACHED;
        }
        return failed == spec.from() - spec.ack() + 1 ? Decision.UNREACHABLE : Decision.PENDING;
    }

    private static List<List<Integer>> permutations(int size) {
        List<List<Integer>> permutations = List.of(List.of());
        for (int next = 0; next < size; next++) {
            List<List<Integer>> longer = new ArrayList<>();
            for (List<Integer> shorter : permutations) {
                for (int at = 0; at <= shorter.size(); at++) {
                    List<Integer> grown = new ArrayList<>(shorter);
                    grown.add(at, next);
                    longer.add(grown);
                }
            }
            permutations = longer;
        }
        return permutations;
    }
}
