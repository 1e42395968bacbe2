package dev.quorate.node.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The samples of one period. */
final class RateHistoryTest {

    private final RateHistory history = new RateHistory(List.of("a", "b"), Duration.ofSeconds(5));

    @Test
    void samplesAreInTheirOrder() {
        assertThat(history.moments()).isEmpty();
        history.add(10, new float[] {1, Float.NaN});
        history.add(20, new float[] {2, 4});
        assertThat(history.moments()).containsExactly(10, 20);
        assertThat(history.series().keySet()).containsExactly("a", "b");
        assertThat(history.series().get("a")).containsExactly(1, 2);
        assertThat(history.series().get("b")).containsExactly(Float.NaN, 4);
    }

    @Test
    void theOldestAreDropped() {
        for (int i = 0; i < RateHistory.SAMPLES + 3; i++) {
            history.add(i, new float[] {i, -i});
        }
        assertThat(history.moments()).hasSize(RateHistory.SAMPLES).startsWith(3).isSorted();
        assertThat(history.series().get("b"))
                .hasSize(RateHistory.SAMPLES)
                .startsWith(-3)
                .endsWith(-(RateHistory.SAMPLES + 2));
    }

    @Test
    void aSampleHasAValueForEachSeries() {
        assertThatThrownBy(() -> history.add(1, new float[3]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSeriesThatIsAddedHasNoEarlierValues() {
        history.add(10, new float[] {1, 2});
        history.extend(List.of("a", "b", "c"));
        history.add(20, new float[] {3, 4, 5});
        assertThat(history.series().get("b")).containsExactly(2, 4);
        assertThat(history.series().get("c")).containsExactly(Float.NaN, 5);
        assertThatThrownBy(() -> history.extend(List.of("c", "b", "a")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
