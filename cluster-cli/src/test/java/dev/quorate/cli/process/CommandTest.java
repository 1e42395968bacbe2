package dev.quorate.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir private Path folder;
    private Command command;

    @BeforeEach
    void setUp() {
        command = new Command(folder.resolve("output"));
    }

    @Test
    void handsOverBothOutputsAndTheStatus() throws Exception {
        Command.Result result =
                command.run(List.of("/bin/sh", "-c", "echo one; echo two >&2; exit 3"), LONG);
        assertThat(result).isEqualTo(new Command.Result(3, "one\ntwo\n"));
    }

    @Test
    void doesNotWaitForWhatTheProgramLeavesBehind() throws Exception {
        Command.Result result =
                command.run(List.of("/bin/sh", "-c", "sleep 20 & echo started"), LONG);
        assertThat(result.output()).isEqualTo("started\n");
    }

    @Test
    void closesTheProgramsInput() throws Exception {
        assertThat(command.run(List.of("cat"), LONG).output()).isEmpty();
    }

    @Test
    void killsWhatTakesTooLong() {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> command.run(List.of("sleep", "600"), Duration.ofSeconds(1)))
                .withMessage("sleep did not end within 1 seconds.");
    }

    @Test
    void reportsWhatIsMissing() {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> command.run(List.of("no-such-program"), LONG))
                .withMessageStartingWith("no-such-program could not be run: ");
    }

    @Test
    void findsPrograms() {
        String path = "::" + folder + ":" + System.getenv("PATH");
        assertThat(Command.find("sh", path)).isPresent();
        assertThat(Command.find("sh", "")).isEmpty();
        assertThat(Command.find("no-such-program", path)).isEmpty();
    }
}
