package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.FakeQuorate;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PressureBenchTest {

    /** Where nobody listens. */
    private static final String NO_PORT = "--port=1";

    @TempDir private Path home;
    private BenchCommand bench;

    @BeforeEach
    void setUp() {
        bench = new BenchCommand(home, home);
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
    void refusesArgumentsThatMakeNoSense(String argument) throws IOException {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(bench.run("pressure", argument)).isEqualTo(2);
        assertThat(bench.err()).isNotEmpty();
        assertThat(quorate.calls()).isEmpty();
        assertThat(home.resolve(".quorate")).doesNotExist();
    }

    @Test
    void reportsMissingFilesOfACopiedReport() {
        assertThat(bench.run("pressure", "--cases=slow")).isEqualTo(2);
        assertThat(bench.err()).contains("there is no quorate to run at ");
        assertThat(home.resolve(".quorate")).doesNotExist();
    }

    @Test
    void hasNoFiguresWhereTheClusterDoesNotStart() throws IOException {
        new FakeQuorate(home, 7);
        assertThat(bench.run("pressure", "--cases=slow")).isEqualTo(1);
        assertThat(bench.err())
                .startsWith("quorate bench: no figures: 'quorate up --nodes 3 --port 18180")
                .hasLineCount(1);
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"slow", "ranges", "overload-get"})
    void reportsInOneSentenceThatTheClusterIsGone(String name) throws IOException {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(bench.run("pressure", "--cases", name, NO_PORT)).isEqualTo(1);
        assertThat(bench.err()).startsWith("quorate bench: no figures: ").hasLineCount(1);
        assertThat(quorate.calls()).last().asString().startsWith("down");
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void explainsItself() {
        assertThat(bench.run("pressure", "--help")).isZero();
        assertThat(bench.out()).contains("quorate bench pressure", "--cases", "SIPPERS");
    }
}
