package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Spectrum;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class WarmUpBenchTest {

    @TempDir private Path home;

    private static LoadResult seconds(int... counts) {
        List<Histogram> overTime =
                IntStream.of(counts)
                        .mapToObj(
                                count -> {
                                    Histogram second = new Histogram(3);
                                    second.recordValueWithCount(1_000, count);
                                    return second;
                                })
                        .toList();
        return new LoadResult(1, 1, Spectrum.EMPTY, overTime, 0, 0, Map.of(), 0, false);
    }

    @Test
    void eachSecondIsComparedToTheLastFive() {
        assertThat(WarmUpBench.throughput(seconds(100, 500, 900, 1_000, 1_000, 1_000, 1_100)))
                .contains(
                        "1,000/s in the last 5 s",
                        "second 1: 100/s, 0.10 of the last",
                        "second 2: 500/s, 0.50 of the last",
                        "second 7: 1,100/s, 1.10 of the last");
    }

    @Test
    void aShortLoadIsComparedToWhatThereIs() {
        assertThat(WarmUpBench.throughput(seconds(0, 200))).contains("second 2: 200/s, 2.00");
    }

    @Test
    void argumentsOutOfRangeAreRefusedBeforeAnythingStarts() throws Exception {
        assertThat(home.resolve("quorate").toFile().createNewFile()).isTrue();
        assertThat(home.resolve("quorate").toFile().setExecutable(true)).isTrue();
        Stream.of("--seconds=9", "--rate=0")
                .forEach(
                        argument -> {
                            ByteArrayOutputStream err = new ByteArrayOutputStream();
                            PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
                            int status =
                                    new CommandLine(new WarmUpBench(home, stream, stream))
                                            .execute(argument);
                            assertThat(status).isEqualTo(2);
                            assertThat(err.toString(StandardCharsets.UTF_8))
                                    .contains(argument.substring(0, argument.indexOf('=')));
                        });
    }
}
