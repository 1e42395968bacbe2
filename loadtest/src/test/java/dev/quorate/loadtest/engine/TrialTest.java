package dev.quorate.loadtest.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Compression;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing here looks at how fast anything was. */
class TrialTest {

    @TempDir private Path directory;

    private Trial.TrialPlan plan(Engine.EngineKind engine, String only) {
        return new Trial.TrialPlan(
                engine, directory, 500, 100, 1, 3, Pattern.compile(only), Compression.LZ4);
    }

    private static List<Trial.Figure> run(Trial.TrialPlan plan) {
        List<Trial.Figure> figures = new ArrayList<>();
        new Trial(plan, System::nanoTime, figures::add).run();
        return figures;
    }

    @ParameterizedTest
    @EnumSource
    void measuresEveryFigureWithEachEngine(Engine.EngineKind engine) {
        List<Trial.Figure> figures = run(plan(engine, ""));
        assertThat(figures).extracting(Trial.Figure::value).allMatch(value -> value > 0);
        // RocksDB does not tell what it wrote.
        List<String> expected =
                Trial.FIGURES.stream()
                        .filter(
                                what ->
                                        engine != Engine.EngineKind.ROCKSDB
                                                || !what.equals("write amplification"))
                        .map(what -> "100 B: " + what)
                        .toList();
        if (Path.of("/proc/self/status").toFile().exists()) {
            assertThat(figures).extracting(Trial.Figure::name).hasSameElementsAs(expected);
        } else {
            assertThat(expected).containsAll(figures.stream().map(Trial.Figure::name).toList());
        }
    }

    @Test
    void measuresOnlyWhatIsWanted() {
        assertThat(run(plan(Engine.EngineKind.QUORATE, "get (hit|miss), 2")))
                .extracting(Trial.Figure::name)
                .containsExactly("100 B: get hit, 2 threads", "100 B: get miss, 2 threads");
        assertThat(plan(Engine.EngineKind.QUORATE, "^1 KiB").wantsAnything()).isFalse();
        assertThat(plan(Engine.EngineKind.QUORATE, "^100 B: scan").wantsAnything()).isTrue();
    }

    @Test
    void aPlanAndAFigureSurviveTheWayToAnotherProcess() {
        Trial.TrialPlan plan = plan(Engine.EngineKind.ROCKSDB, "a|b");
        Trial.TrialPlan read =
                Trial.TrialPlan.ofArguments(plan.toArguments().toArray(String[]::new));
        assertThat(read.toArguments()).isEqualTo(plan.toArguments());
        assertThat(read.compression()).isEqualTo(Compression.LZ4);
        Trial.Figure figure = new Trial.Figure("100 B: get hit, 1 thread", 12.5, "/s");
        assertThat(Trial.Figure.isLine(figure.toLine())).isTrue();
        assertThat(Trial.Figure.parse(figure.toLine())).isEqualTo(figure);
    }

    @Test
    void aValueContainsItsNumberAndCanBeCompressed() {
        byte[] value = new TrialData(1_000).value(77);
        assertThat(value).hasSize(1_000);
        assertThat(TrialData.head(value)).isEqualTo(77);
        assertThat(new String(value, 8, 992, US_ASCII)).contains("\",\"email\":\"mail.");
    }
}
