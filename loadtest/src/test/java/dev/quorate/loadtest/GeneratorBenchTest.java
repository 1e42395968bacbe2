package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.FakeQuorate;
import dev.quorate.loadtest.load.StoredValues;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratorBenchTest {

    @TempDir private Path home;
    @TempDir private Path programs;
    private BenchCommand bench;

    @BeforeEach
    void setUp() {
        bench = new BenchCommand(home, programs);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--rate=0",
                "--threads=0",
                "--connections=1",
                "--seconds=0",
                "--turns=0",
                "--keys=1",
                "--port=70000",
                "--nonsense",
                "more"
            })
    void refusesArgumentsThatMakeNoSense(String argument) throws IOException {
        new FakeWrk(programs, "wrk2");
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(bench.run("generators", argument)).isEqualTo(2);
        assertThat(bench.err()).isNotEmpty();
        assertThat(quorate.calls()).isEmpty();
        assertThat(home.resolve(".quorate")).doesNotExist();
    }

    @Test
    void reportsWhatIsMissing() throws IOException {
        assertThat(bench.run("generators")).isEqualTo(2);
        assertThat(bench.err()).contains("there is no quorate to run at ");
        new FakeQuorate(home, 0);
        assertThat(bench.run("generators")).isEqualTo(2);
        assertThat(bench.err()).endsWith("needs wrk2, which is not on the PATH.\n");
    }

    @Test
    void hasNoFiguresWhereTheClusterDoesNotStart() throws IOException {
        new FakeWrk(programs, "wrk2");
        new FakeQuorate(home, 7);
        assertThat(bench.run("generators")).isEqualTo(1);
        assertThat(bench.err()).contains("no figures: 'quorate up --nodes 3 --port 18380");
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void hasNoFiguresWhereAnAnswerIsWrong() throws IOException {
        new FakeWrk(programs, "wrk2");
        FakeQuorate quorate = new FakeQuorate(home, 0);
        try (StubServer server =
                new StubServer((method, _, _) -> method.equals("PUT") ? 200 : 404)) {
            server.put(StoredValues.key(1, 100), StoredValues.value(1, 100));
            assertThat(bench.run("generators", "--keys=10", "--port=" + server.port()))
                    .isEqualTo(1);
        }
        assertThat(bench.err())
                .isEqualTo(
                        "quorate bench: no figures: PUT of all keys: every answer should have status"
                                + " 201, and these came: 10 with 200.\n");
        assertThat(quorate.calls()).last().asString().startsWith("down");
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void explainsItself() {
        assertThat(bench.run("generators", "--help")).isZero();
        assertThat(bench.out()).contains("quorate bench generators", "--rate", "--turns");
    }
}
