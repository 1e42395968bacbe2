package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineBenchTest {

    @TempDir private Path home;
    private BenchCommand bench;

    @BeforeEach
    void setUp() {
        bench = new BenchCommand(home);
    }

    @Test
    void printsATableAndWritesTheSameAsJson() throws IOException {
        Path json = home.resolve("figures.json");
        assertThat(
                        bench.run(
                                "bench",
                                "engine",
                                "--large",
                                "--keys",
                                "200",
                                "--json",
                                json.toString()))
                .isZero();
        assertThat(bench.out()).contains("processors", "large: time to open");
        assertThat(Files.readString(json)).contains("\"name\":\"large: time to open\"");
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--only=(",
                "--keys=1",
                "--rocksdb-cache-mib=0",
                "--nonsense",
                "--values=prose",
                "--compression=zip",
                "--beside=quorate"
            })
    void refusesArgumentsThatMakeNoSense(String argument) {
        assertThat(bench.run("bench", "engine", argument)).isEqualTo(2);
        assertThat(bench.err()).isNotEmpty();
        assertThat(home.resolve(".quorate")).doesNotExist();
    }

    @Test
    void refusesTwoThingsAtOnce() {
        assertThat(bench.run("bench", "engine", "--large", "--overwrite")).isEqualTo(2);
    }

    @Test
    void explainsItself() {
        assertThat(bench.run("bench", "engine", "--help")).isZero();
        assertThat(bench.out()).contains("quorate bench engine", "--only", "--large");
    }
}
