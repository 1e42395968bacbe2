package dev.quorate.loadtest.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which rates are tried, and what is found. */
class BreakingPointSearchTest {

    private static List<Integer> tries(
            ScenarioRunner.BreakingPointSearch search, double breaksAbove) {
        List<Integer> tries = new ArrayList<>();
        for (OptionalInt next = search.next(); next.isPresent(); next = search.next()) {
            tries.add(next.getAsInt());
            search.tried(next.getAsInt() <= breaksAbove);
        }
        return tries;
    }

    @Test
    void startsBelowTheReachedRateAndIncreases() {
        ScenarioRunner.BreakingPointSearch search =
                new ScenarioRunner.BreakingPointSearch(10_000, 10);
        assertThat(tries(search, 20_000)).containsExactly(9_000, 9_750, 10_100);
        assertThat(search.found()).isEqualTo(10_100);
    }

    @Test
    void decreasesByAQuarterUntilARateHolds() {
        ScenarioRunner.BreakingPointSearch search =
                new ScenarioRunner.BreakingPointSearch(10_000, 10);
        assertThat(tries(search, 4_000))
                .containsExactly(9_000, 6_750, 5_060, 3_790, 4_420, 4_100, 3_940);
        assertThat(search.found()).isEqualTo(3_940);
    }

    @Test
    void findsNoRateWhereNoneHolds() {
        ScenarioRunner.BreakingPointSearch search =
                new ScenarioRunner.BreakingPointSearch(10_000, 5);
        assertThat(tries(search, 0)).hasSize(5).isSortedAccordingTo((a, b) -> b - a);
        assertThat(search.found()).isZero();
    }

    @Test
    void endsWhereThereIsNoRateLeft() {
        assertThat(tries(new ScenarioRunner.BreakingPointSearch(1, 100), 0)).isEmpty();
        assertThat(tries(new ScenarioRunner.BreakingPointSearch(0, 100), 0)).isEmpty();
        ScenarioRunner.BreakingPointSearch slow = new ScenarioRunner.BreakingPointSearch(5, 100);
        assertThat(tries(slow, 3)).containsExactly(4, 3);
        assertThat(slow.found()).isEqualTo(3);
    }

    @Test
    void findsTheHighestRateThatHoldsWithoutARepeatedTry() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            double reached = Math.pow(10, 6 * random.nextDouble());
            int mostSteps = 1 + random.nextInt(10);
            ScenarioRunner.BreakingPointSearch search =
                    new ScenarioRunner.BreakingPointSearch(reached, mostSteps);
            double breaksAbove = reached * 1.2 * random.nextDouble();
            List<Integer> tries = tries(search, breaksAbove);
            assertThat(tries).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(mostSteps);
            assertThat(search.found())
                    .isEqualTo(
                            tries.stream()
                                    .filter(rate -> rate <= breaksAbove)
                                    .mapToInt(rate -> rate)
                                    .max()
                                    .orElse(0));
        }
    }
}
