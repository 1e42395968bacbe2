package dev.quorate.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.cli.process.CommandException;
import dev.quorate.storage.Compression;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineBenchmarkTest {

    @TempDir private Path directory;
    private final List<String> progress = new ArrayList<>();

    private EngineBenchmark benchmark(String heap) {
        EngineBenchmark.EngineSettings settings =
                new EngineBenchmark.EngineSettings(
                        List.of(new EngineBenchmark.EngineSettings.Size(300, 100)),
                        1,
                        1,
                        3,
                        heap,
                        Pattern.compile("get hit, 1|open"),
                        Compression.LZ4);
        return new EngineBenchmark(directory, settings, progress::add);
    }

    @Test
    void comparesTheEnginesInProcessesOfTheirOwn() throws Exception {
        assertThat(benchmark("64m").compare().lines())
                .hasSize(3)
                .anyMatch(line -> line.startsWith("100 B: time to open "))
                .anyMatch(line -> line.startsWith("100 B: get hit, 1 thread "));
        assertThat(progress).contains("100 B: trial 1 of RocksDB", "100 B: trial 1 of Quorate");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void reportsWhyATrialFailed() {
        assertThatThrownBy(benchmark("no heap")::compare)
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("a trial ended with 1: ");
        assertThat(directory).isEmptyDirectory();
    }
}
