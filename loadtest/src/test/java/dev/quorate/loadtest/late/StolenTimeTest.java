package dev.quorate.loadtest.late;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Span;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StolenTimeTest {

    private final StolenTime time = new StolenTime();

    private static String stat(long user, long idle, long steal) {
        return "cpu  %d 5 7 %d 0 0 0 %d 99999 0\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 5\n"
                .formatted(user, idle, steal);
    }

    @Test
    void aSpanInWhichATenthOfAllProcessorTimeWasStolenIsFound() {
        time.take(1_000, stat(10, 100, 0));
        time.take(2_000, stat(11, 108, 1));
        time.take(3_000, stat(20, 118, 2));
        time.take(4_000, stat(20, 120, 5));
        assertThat(time.spans()).containsExactly(new Span(1_000, 2_000), new Span(3_000, 4_000));
    }

    @Test
    void whereNothingIsStolenNothingIsFound() {
        time.take(1_000, stat(10, 100, 7));
        time.take(2_000, stat(10, 100, 7));
        time.take(3_000, stat(20, 120, 7));
        assertThat(time.spans()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "cpu", "cpu  1 2 3 4", "cpu  1 2 3 4 5 6 7 x 0 0", "intr 1 2"})
    void aSystemThatCountsNothingStolenHasNoSpans(String text) {
        time.take(1_000, stat(10, 100, 0));
        time.take(2_000, text);
        time.take(3_000, stat(10, 100, 50));
        assertThat(time.spans()).isEmpty();
    }
}
