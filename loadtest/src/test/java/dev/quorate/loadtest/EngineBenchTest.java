package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

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

    @ParameterizedTest
    @ValueSource(strings = {"--only=(", "--keys=1", "--nonsense", "--compression=zip"})
    void refusesArgumentsThatMakeNoSense(String argument) {
        assertThat(bench.run("bench", "engine", argument)).isEqualTo(2);
        assertThat(bench.err()).isNotEmpty();
        assertThat(home.resolve(".quorate")).doesNotExist();
    }

    @Test
    void explainsItself() {
        assertThat(bench.run("bench", "engine", "--help")).isZero();
        assertThat(bench.out()).contains("quorate bench engine", "--only", "--compression");
    }
}
