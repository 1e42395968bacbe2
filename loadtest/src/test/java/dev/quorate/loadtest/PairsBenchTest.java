package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class PairsBenchTest {

    @TempDir private Path home;

    private String refusal(String... arguments) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(text, true, StandardCharsets.UTF_8);
        CommandLine line = new CommandLine(new PairsBench(home, stream, stream));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setErr(new java.io.PrintWriter(stream, true, StandardCharsets.UTF_8));
        assertThat(line.execute(arguments)).isEqualTo(2);
        return text.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theOtherBuildIsRequired() throws Exception {
        var _ = new FakeQuorate(home, 0);
        assertThat(refusal()).contains("--against");
        assertThat(refusal("--against", home.resolve("missing").toString()))
                .contains("no executable script", "missing");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--pairs=0",
                "--starts=5",
                "--seconds=0",
                "--warm-up=0",
                "--connections=1",
                "--operations=delete"
            })
    void argumentsOutOfRangeAreRefusedBeforeAnythingStarts(String argument) throws Exception {
        var _ = new FakeQuorate(home, 0);
        assertThat(refusal("--against", home.toString(), argument))
                .contains(argument.substring(0, argument.indexOf('=')));
    }
}
