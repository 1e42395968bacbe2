package dev.quorate.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Compression;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing here looks at how fast anything was. */
class TrialTest {

    private static final Conditions CONDITIONS =
            new Conditions(ValueShape.TEXT, Compression.LZ4, 8);

    @TempDir private Path directory;

    private TrialPlan plan(EngineKind engine, String only) {
        return new TrialPlan(engine, directory, 500, 100, 1, 3, Pattern.compile(only), CONDITIONS);
    }

    private static List<Figure> run(TrialPlan plan) {
        List<Figure> figures = new ArrayList<>();
        new Trial(plan, System::nanoTime, figures::add).run();
        return figures;
    }

    @ParameterizedTest
    @EnumSource
    void measuresEveryFigureWithEachEngine(EngineKind engine) {
        List<Figure> figures = run(plan(engine, ""));
        assertThat(figures).extracting(Figure::value).allMatch(value -> value > 0);
        // RocksDB does not tell what it wrote.
        List<String> expected =
                Trial.FIGURES.stream()
                        .filter(
                                what ->
                                        engine != EngineKind.ROCKSDB
                                                || !what.equals("write amplification"))
                        .map(what -> "100 B: " + what)
                        .toList();
        if (Path.of("/proc/self/status").toFile().exists()) {
            assertThat(figures).extracting(Figure::name).hasSameElementsAs(expected);
        } else {
            assertThat(expected).containsAll(figures.stream().map(Figure::name).toList());
        }
    }

    @Test
    void measuresOnlyWhatIsWanted() {
        assertThat(run(plan(EngineKind.QUORATE, "get (hit|miss), 2")))
                .extracting(Figure::name)
                .containsExactly("100 B: get hit, 2 threads", "100 B: get miss, 2 threads");
        assertThat(plan(EngineKind.QUORATE, "^1 KiB").wantsAnything()).isFalse();
        assertThat(plan(EngineKind.QUORATE, "^100 B: scan").wantsAnything()).isTrue();
    }

    @Test
    void aPlanAndAFigureSurviveTheWayToAnotherProcess() {
        TrialPlan plan = plan(EngineKind.ROCKSDB, "a|b");
        TrialPlan read = TrialPlan.ofArguments(plan.toArguments().toArray(String[]::new));
        assertThat(read.toArguments()).isEqualTo(plan.toArguments());
        assertThat(read.conditions()).isEqualTo(CONDITIONS);
        Figure figure = new Figure("100 B: get hit, 1 thread", 12.5, "/s");
        assertThat(Figure.isLine(figure.toLine())).isTrue();
        assertThat(Figure.parse(figure.toLine())).isEqualTo(figure);
    }

    @Test
    void everyKeyIsReadBackFromALargeStore() {
        List<Figure> figures = new ArrayList<>();
        new LargeTrial(directory, 2_000, CONDITIONS, System::nanoTime, figures::add).run();
        assertThat(figures)
                .extracting(Figure::name)
                .contains("large: time to open", "large: every key read back, 2 threads");
    }

    @Test
    void keysAreOverwrittenAtAPartOfTheHighestRate() {
        List<Figure> figures = new ArrayList<>();
        new OverwriteTrial(directory, 2_000, 200, CONDITIONS, System::nanoTime, figures::add).run();
        Map<String, Double> values =
                figures.stream().collect(Collectors.toMap(Figure::name, Figure::value));
        assertThat(values)
                .containsKeys("overwrite: put p99.9", "overwrite: most tables of level 0")
                .containsEntry("overwrite: puts refused", 0.0);
        assertThat(values.get("overwrite: write amplification")).isGreaterThan(1);
        assertThat(values.get("overwrite: tables over live data, after")).isPositive();
    }
}
