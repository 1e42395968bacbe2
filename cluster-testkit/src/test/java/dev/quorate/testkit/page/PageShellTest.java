package dev.quorate.testkit.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.cli.process.CommandException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PageShellTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir Path scratch;

    @Test
    void variablesRemainAndFailuresAreNamed() throws Exception {
        try (PageShell shell = new PageShell(scratch, scratch.resolve("shell"))) {
            assertThat(shell.run("a=1\ncd /\n", LIMIT)).isEqualTo(new PageShell.Result("", ""));
            assertThat(shell.run("echo $a $PWD; echo b >&2\n", LIMIT).output())
                    .isEqualTo("1 /\nb\n");
            PageShell.Result failed = shell.run("ls /no-such\nfalse || true\necho c\n", LIMIT);
            assertThat(failed.failed()).isEqualTo("ls /no-such\n");
            assertThat(failed.output()).endsWith("c\n");
            assertThat(shell.run("cat\n", LIMIT).output()).as("no input").isEmpty();
        }
    }

    @Test
    void aBlockThatDoesNotEndOrEndsTheShell() throws Exception {
        try (PageShell shell = new PageShell(scratch, scratch.resolve("shell"))) {
            assertThatThrownBy(() -> shell.run("cat <&1 | sleep 60\n", Duration.ofMillis(200)))
                    .isInstanceOf(CommandException.class)
                    .hasMessageContaining("No end within");
        }
        try (PageShell shell = new PageShell(scratch, scratch.resolve("second"))) {
            assertThatThrownBy(() -> shell.run("exit 3\n", LIMIT))
                    .isInstanceOf(CommandException.class)
                    .hasMessageContaining("The shell has ended");
        }
    }
}
