package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.check.SoakSamples.Figure;
import dev.quorate.testkit.check.SoakSamples.Sample;
import dev.quorate.testkit.check.SoakSamples.Trend;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SoakSamplesTest {

    private static final double MIB = 1 << 20;

    private static Trend trend(Figure figure, double... values) {
        List<Sample> samples =
                IntStream.range(0, values.length)
                        .boxed()
                        .flatMap(
                                i ->
                                        Stream.of(
                                                new Sample(i, "n1", Map.of(figure, values[i])),
                                                new Sample(i, "n2", Map.of(figure, 1e12))))
                        .toList();
        return SoakSamples.trend(samples, "n1", figure, values.length, "n1"::equals);
    }

    @Test
    void eachThirdHasItsMedian() {
        Trend trend = trend(Figure.THREADS, 1, 900, 3, 20, 21, 22, 31, 30, 2);
        assertThat(trend).isEqualTo(new Trend("n1", Figure.THREADS, 3, 21, 30));
    }

    @Test
    void aFigureMayGrowByAQuarterAndASmallConstant() {
        assertThat(trend(Figure.THREADS, 0, 40, 56).isFlat()).isTrue();
        assertThat(trend(Figure.THREADS, 0, 40, 57).isFlat()).isFalse();
        assertThat(trend(Figure.THREADS, 90, 40, 20).isFlat()).isTrue();
        assertThat(trend(Figure.DISK, 0, 400 * MIB, 596 * MIB).isFlat()).isTrue();
        assertThat(trend(Figure.DISK, 0, 400 * MIB, 597 * MIB).isFlat()).isFalse();
    }

    @Test
    void aFigureWithoutSamplesIsNotFlat() {
        assertThat(trend(Figure.FILES).isFlat()).isFalse();
    }

    @Test
    void aTrendThatGrowsSaysSo() {
        assertThat(trend(Figure.DISK, 0, 1 * MIB, 100 * MIB))
                .asString()
                .contains("disk_mib", "100.0", "GROWS");
        assertThat(trend(Figure.THREADS, 1, 1, 1))
                .asString()
                .contains("threads")
                .doesNotContain("GROWS");
    }

    @Test
    void theHeapIsThatOfAllPoolsAfterTheirCollections() {
        assertThat(
                        SoakSamples.heapAfterGc(
                                """
                                # TYPE jvm_memory_pool_collection_used_bytes gauge
                                jvm_memory_pool_collection_used_bytes{pool="Eden Space"} 0.0
                                jvm_memory_pool_collection_used_bytes{pool="Survivor Space"} 1048576.0
                                jvm_memory_pool_collection_used_bytes{pool="Tenured Gen"} 1.0E7
                                jvm_memory_pool_used_bytes{pool="Tenured Gen"} 5.0E7
                                """))
                .isEqualTo(1_048_576 + 1e7);
    }
}
