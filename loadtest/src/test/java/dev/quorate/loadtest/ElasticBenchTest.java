package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.quorate.loadtest.ElasticBench.Change;
import dev.quorate.loadtest.ElasticBench.Goal;
import dev.quorate.loadtest.ElasticBench.Window;
import dev.quorate.loadtest.ElasticBench.Windows;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Spectrum;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ElasticBenchTest {

    @TempDir private Path home;
    private BenchCommand bench;

    @BeforeEach
    void setUp() {
        bench = new BenchCommand(home);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--gigabytes=0.001",
                "--gigabytes=101",
                "--gigabytes=NaN",
                "--seconds=0",
                "--seconds=601",
                "--port=0"
            })
    void argumentsOutOfRangeAreRefusedBeforeAnythingStarts(String argument) throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(bench.run("bench", "elastic", argument)).isEqualTo(2);
        assertThat(bench.err()).contains(argument.substring(0, argument.indexOf('=')) + " must be");
        assertThat(quorate.calls()).isEmpty();
    }

    @Test
    void aMissingScriptIsNamed() {
        assertThat(bench.run("bench", "elastic")).isEqualTo(2);
        assertThat(bench.err()).contains("no executable script");
    }

    @Test
    void aClusterThatDoesNotStartHasNoFigures() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 3);
        assertThat(bench.run("bench", "elastic", "--gigabytes=0.01")).isEqualTo(1);
        assertThat(bench.err()).contains("no figures", "n1 did not become ready.");
        assertThat(bench.out()).isEmpty();
        assertThat(quorate.calls()).anyMatch(call -> call.startsWith("up --nodes 3"));
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    /** A window with answers in one millisecond, and others in a hundred. */
    private static LoadResult window(
            int fast, int slow, double perSecond, long lateOrBroken, long errors) {
        Histogram micros = new Histogram(3);
        micros.recordValueWithCount(1_000, fast);
        micros.recordValueWithCount(100_000, slow);
        return new LoadResult(
                fast + slow,
                perSecond,
                new Spectrum(micros),
                List.of(),
                lateOrBroken,
                errors,
                Map.of(200, fast + slow - errors, 503, errors),
                0,
                true);
    }

    /** Windows of two seconds, one after the other. */
    private static Windows windows(long voted, LoadResult... results) {
        List<Window> windows = new ArrayList<>();
        for (LoadResult each : results) {
            windows.add(new Window(windows.size() * 2_000_000_000L, each));
        }
        return new Windows(windows, 2, new Change(0, voted, 5_000_000_000L));
    }

    @Test
    void windowsAddUp() {
        Windows windows = windows(0, window(1_000, 0, 500, 0, 0), window(500, 0, 125, 0, 0));
        // 1,500 answers in two and in four seconds.
        assertThat(windows.rate()).isCloseTo(250, within(1e-9));
        assertThat(windows.served(500)).isCloseTo(0.75, within(1e-9));
    }

    @Test
    void lateAnswersAndErrorsAreNotServed() {
        Windows windows = windows(0, window(1_000, 0, 500, 30, 20));
        assertThat(windows.served(500)).isCloseTo(0.95, within(1e-9));
        assertThat(windows.rate()).isCloseTo(475, within(1e-9));
    }

    @Test
    void thePercentileIsThatOfAllWindows() {
        LoadResult fast = window(1_000, 0, 500, 0, 0);
        LoadResult slow = window(960, 40, 500, 0, 0);
        assertThat(windows(0, fast, slow).p99Millis()).isCloseTo(100, within(0.2));
        assertThat(windows(0, fast, slow, fast, fast, fast).p99Millis()).isCloseTo(1, within(0.01));
    }

    @Test
    void theStartOfTheJoiningNodeIsLeftOut() {
        LoadResult fast = window(1_000, 0, 500, 0, 0);
        LoadResult slow = window(960, 40, 500, 0, 0);
        assertThat(windows(2_000_000_000L, slow, fast).voting().p99Millis())
                .isCloseTo(1, within(0.01));
        assertThat(windows(1_999_999_999L, fast, slow).voting().p99Millis())
                .isCloseTo(100, within(0.2));
        assertThat(windows(2_000_000_001L, slow, fast).voting().p99Millis()).isNaN();
        assertThat(windows(0, fast).changeSeconds()).isEqualTo(5);
    }

    @Test
    void goalsAreLimitsFromEitherSide() {
        assertThat(new Goal("", 0.99, true, 0.99).isMet()).isTrue();
        assertThat(new Goal("", 0.9899, true, 0.99).isMet()).isFalse();
        assertThat(new Goal("", 2, false, 2).isMet()).isTrue();
        assertThat(new Goal("", 2.01, false, 2).isMet()).isFalse();
        assertThat(new Goal("", Double.NaN, true, 0.8).isMet()).isFalse();
        assertThat(new Goal("", Double.NaN, false, 2).isMet()).isFalse();
    }

    @Test
    void aGoalSaysWhetherItIsMet() {
        assertThat(new Goal("p99, to that before", 2.5, false, 2).text())
                .isEqualTo("p99, to that before: 2.5000, missed (at most 2.0)");
        assertThat(new Goal("served", 1, true, 0.99).text())
                .isEqualTo("served: 1.0000, met (at least 0.99)");
    }
}
