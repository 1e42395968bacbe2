package dev.quorate.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PressureBenchTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir Path home;

    private int run(String... arguments) {
        return ClusterBench.commandLine(
                        Map.of(),
                        home,
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8))
                .execute(arguments);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--cases=slow,none",
                "--connections=0",
                "--sockets=0",
                "--range-mib=0",
                "--seconds=0",
                "--multiples=2,0",
                "--multiples=NaN",
                "--slow=quickly",
                "--port=70000",
                "--nonsense"
            })
    void refusesArgumentsThatMakeNoSense(String argument) {
        assertThat(run("pressure", argument)).isEqualTo(2);
        assertThat(err.toString(UTF_8)).isNotEmpty();
        assertThat(home.resolve(".quorate")).doesNotExist();
    }

    @Test
    void saysSoWhereThereIsNoClusterToStart() {
        assertThat(run("pressure", "--cases=slow")).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("no figures");
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void explainsItself() {
        assertThat(run("pressure", "--help")).isZero();
        assertThat(out.toString(UTF_8)).contains("quorate bench pressure", "--cases", "SIPPERS");
    }
}
