package dev.quorate.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineBenchTest {

    @TempDir private Path home;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return ClusterBench.commandLine(
                        Map.of(),
                        home,
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8))
                .execute(arguments);
    }

    @Test
    void printsATableAndWritesTheSameAsJson() throws IOException {
        Path json = home.resolve("figures.json");
        assertThat(run("engine", "--large", "--keys", "200", "--json", json.toString())).isZero();
        assertThat(out.toString(UTF_8)).contains("processors", "large: time to open");
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
        assertThat(run("engine", argument)).isEqualTo(2);
        assertThat(err.toString(UTF_8)).isNotEmpty();
        assertThat(home.resolve(".quorate")).doesNotExist();
    }

    @Test
    void refusesTwoThingsAtOnce() {
        assertThat(run("engine", "--large", "--overwrite")).isEqualTo(2);
    }

    @Test
    void explainsItself() {
        assertThat(run("engine", "--help")).isZero();
        assertThat(out.toString(UTF_8)).contains("quorate bench engine", "--only", "--large");
    }
}
