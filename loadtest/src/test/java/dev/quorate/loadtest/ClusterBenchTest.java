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

class ClusterBenchTest {

    @TempDir private Path home;
    @TempDir private Path programs;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return ClusterBench.commandLine(
                        Map.of("PATH", programs.toString()),
                        home,
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8))
                .execute(arguments);
    }

    private void install(String program) throws IOException {
        Path file = programs.resolve(program);
        Files.writeString(file, "#!/bin/sh\necho nonsense\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void saysInOneSentenceThatItNeedsWrk() throws IOException {
        new FakeQuorate(home, 0);
        assertThat(run("cluster")).isEqualTo(2);
        assertThat(err.toString(UTF_8))
                .isEqualTo(
                        "quorate bench: needs wrk, which is not on the PATH; on Debian, 'apt install"
                                + " wrk' brings it.\n");
        assertThat(out.size()).isZero();
    }

    @Test
    void saysWhatIsMissingWhereItWasCopiedAlone() throws IOException {
        install("wrk");
        assertThat(run("cluster")).isEqualTo(2);
        assertThat(err.toString(UTF_8)).contains("there is no quorate to run at ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--connections=1",
                "--connections=many",
                "--value-bytes=-1",
                "--value-bytes=65537",
                "--keys=1",
                "--port=0",
                "--nonsense",
                "more"
            })
    void refusesArgumentsThatMakeNoSense(String argument) throws IOException {
        install("wrk");
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(run("cluster", argument)).isEqualTo(2);
        assertThat(err.toString(UTF_8)).isNotEmpty();
        assertThat(quorate.calls()).isEmpty();
    }

    @Test
    void hasNoFiguresWhereTheClusterDoesNotStart() throws IOException {
        install("wrk");
        new FakeQuorate(home, 1);
        Path json = Files.writeString(home.resolve("figures.json"), "of an earlier run");
        assertThat(run("cluster", "--quick", "--json", json.toString())).isEqualTo(1);
        assertThat(err.toString(UTF_8))
                .contains("no figures: 'quorate up --nodes 1 --port 18080 --detach' failed");
        assertThat(json).doesNotExist();
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void hasNoFiguresWhereTheLoadGeneratorDoesNotWork() throws IOException {
        install("wrk");
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(run("cluster", "--port", "19090")).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("no figures: wrk did not come to its end");
        assertThat(quorate.calls()).hasSize(2).last().asString().startsWith("down");
        assertThat(out.size()).isZero();
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void explainsItself() {
        assertThat(run("cluster", "--help")).isZero();
        assertThat(out.toString(UTF_8)).contains("quorate bench cluster", "--quick", "--json");
        assertThat(run("--help")).isZero();
        assertThat(run()).isEqualTo(2);
    }
}
