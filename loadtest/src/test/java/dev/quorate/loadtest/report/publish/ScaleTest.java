package dev.quorate.loadtest.report.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.report.publish.Scale.Tick;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScaleTest {

    private static List<String> labels(Scale scale, double least, double most) {
        return scale.ticks(scale.place(least), scale.place(most)).stream()
                .map(Tick::label)
                .toList();
    }

    @Test
    void labelsAreRoundNumbers() {
        assertThat(labels(Scale.LINEAR, 3, 9_100))
                .containsExactly("0", "2,000", "4,000", "6,000", "8,000", "10,000");
        assertThat(labels(Scale.LINEAR, 0, 0)).containsExactly("0", "1");
        assertThat(labels(Scale.LOG, 0.02, 30)).containsExactly("0.01", "0.1", "1", "10", "100");
        assertThat(labels(Scale.PERCENTILE, 0.1, 0.9991))
                .containsExactly("0 %", "90 %", "99 %", "99.9 %", "99.99 %");
    }

    @ParameterizedTest
    @EnumSource
    void theLabelsEncloseAllValuesInRisingOrder(Scale scale) {
        for (double most = 1e-4; most < 1e5; most *= 1.7) {
            double value = scale == Scale.PERCENTILE ? most / 1e5 : most;
            List<Tick> ticks = scale.ticks(scale.place(value / 3), scale.place(value));
            assertThat(ticks).hasSizeBetween(2, 9).extracting(Tick::place).isSorted();
            assertThat(scale.place(value))
                    .isBetween(ticks.getFirst().place(), ticks.getLast().place() + 1e-9);
        }
    }
}
