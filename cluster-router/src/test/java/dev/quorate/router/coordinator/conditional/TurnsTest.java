package dev.quorate.router.coordinator.conditional;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.operation.OwnedKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Nodes that write one key take turns, as long as they do. */
class TurnsTest {

    private static final byte[] BYTES = "key".getBytes(US_ASCII);
    private static final OwnedKey KEY = new OwnedKey(BYTES, 3);
    private static final long NOW = 5;

    private static List<Turns> nodes(int number) {
        List<Turns> nodes = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            nodes.add(new Turns(i));
        }
        for (Turns node : nodes) {
            for (int i = 0; i < number; i++) {
                node.recordProposer(KEY, i, NOW);
            }
        }
        return nodes;
    }

    private static List<Integer> mayPropose(List<Turns> nodes, long wallMillis) {
        List<Integer> may = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).millisUntilTurn(KEY, NOW, wallMillis) == 0) {
                may.add(i);
            }
        }
        return may;
    }

    @Test
    void whoeverHasMetNobodyNeedNotWait() {
        Turns alone = new Turns(1);
        for (long millis = 0; millis < 1_000; millis++) {
            assertThat(alone.millisUntilTurn(KEY, NOW, millis)).isZero();
        }
    }

    @Test
    void oneNodeAtATimeMayPropose() {
        for (int number : new int[] {2, 3, 5, 100}) {
            List<Turns> nodes = nodes(number);
            for (long millis = 1_000; millis < 1_600; millis++) {
                assertThat(mayPropose(nodes, millis)).hasSize(1);
            }
        }
    }

    @Test
    void eachTurnComesSoonAndWhenItWasSaid() {
        for (int number : new int[] {2, 3, 5, 100}) {
            for (Turns node : nodes(number)) {
                for (long millis = 0; millis < 600; millis++) {
                    long until = node.millisUntilTurn(KEY, NOW, millis);
                    assertThat(until).isBetween(0L, 256L);
                    assertThat(node.millisUntilTurn(KEY, NOW, millis + until)).isZero();
                }
            }
        }
    }

    @Test
    void nodesThatHaveNotMetForASecondDoNotWait() {
        List<Turns> nodes = nodes(2);
        long later = NOW + Turns.KEPT.toNanos();
        for (Turns node : nodes) {
            for (long millis = 0; millis < 300; millis++) {
                assertThat(node.millisUntilTurn(KEY, later, millis)).isZero();
            }
        }
    }

    @Test
    void otherKeysDoNotWaitNorTheSameKeyWithOtherOwners() {
        OwnedKey other = new OwnedKey("other".getBytes(US_ASCII), 3);
        for (Turns node : nodes(3)) {
            for (long millis = 0; millis < 300; millis++) {
                assertThat(node.millisUntilTurn(other, NOW, millis)).isZero();
                assertThat(node.millisUntilTurn(new OwnedKey(BYTES, 1), NOW, millis)).isZero();
            }
        }
    }

    /** 4 ms, doubled four times at most, times the place among the owners. */
    @Test
    void aPauseIsARandomPartOfADoublingTime() {
        List<Long> bounds = new ArrayList<>();
        RandomGenerator largest =
                new RandomGenerator() {
                    @Override
                    public long nextLong() {
                        throw new AssertionError();
                    }

                    @Override
                    public long nextLong(long bound) {
                        bounds.add(bound);
                        return bound - 1;
                    }
                };
        for (int times : new int[] {0, 1, 4, 5, 1_000}) {
            assertThat(Turns.pause(times, 0, largest))
                    .isEqualTo(Duration.ofMillis(4L << Math.min(times, 4)));
        }
        assertThat(Turns.pause(1, 2, largest)).isEqualTo(Duration.ofMillis(24));
        assertThat(bounds).endsWith(24_000_000L);
    }
}
