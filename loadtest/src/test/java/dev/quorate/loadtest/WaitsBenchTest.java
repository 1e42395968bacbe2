package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitsBenchTest {

    @TempDir private Path home;
    private BenchCommand bench;

    @BeforeEach
    void setUp() {
        bench = new BenchCommand(home);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--waits=0", "--waits=10001", "--seconds=0", "--port=0"})
    void argumentsOutOfRangeAreRefusedBeforeAnythingStarts(String argument) throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(bench.run("bench", "waits", argument)).isEqualTo(2);
        assertThat(bench.err()).contains(argument.substring(0, argument.indexOf('=')) + " must be");
        assertThat(quorate.calls()).isEmpty();
    }

    @Test
    void aClusterThatDoesNotStartHasNoFigures() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 3);
        assertThat(bench.run("bench", "waits")).isEqualTo(1);
        assertThat(bench.err()).contains("no figures", "n1 did not become ready.");
        assertThat(bench.out()).isEmpty();
        assertThat(quorate.calls()).anyMatch(call -> call.startsWith("up --nodes 3"));
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }
}
