package dev.quorate.cli.client;

import static dev.quorate.cli.client.PretendedNode.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.SystemTicker;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands that restart members. {@code RollingRestartIT} runs some. */
final class RestartCommandTest {

    private final StringWriter printed = new StringWriter();

    private int run(PretendedNode node, String command, String... more) {
        CommandLine commandLine = new CommandLine(CommandSpec.create().name("quorate"));
        new ClientCommands(
                        SystemTicker.INSTANCE,
                        new ByteArrayInputStream(new byte[0]),
                        OutputStream.nullOutputStream(),
                        () -> false,
                        Map.of())
                .addTo(commandLine);
        PrintWriter to = new PrintWriter(printed, true);
        String[] words = {"member", "restart", "--url", node.url(), "--command", command};
        String[] all = new String[words.length + more.length];
        System.arraycopy(words, 0, all, 0, words.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return commandLine.setOut(to).setErr(to).execute(all);
    }

    private static PretendedNode node(String name) throws IOException {
        String metrics = "quorate_build_info{node=\"" + name + "\"} 1\n";
        return new PretendedNode(request -> answer("200 OK", metrics));
    }

    @Test
    void aDryRunPrintsTheCommands() throws IOException {
        try (PretendedNode node = node("n1")) {
            assertThat(run(node, "ssh {host} '{} {name}' {url}", "--dry-run")).isZero();
            assertThat(printed).hasToString("n1: ssh 127.0.0.1 '{} n1' %s%n".formatted(node.url()));
        }
    }

    @Test
    void whatAShellMayInterpretIsRefused() throws IOException {
        for (String name : new String[] {"$(id)", "a;b", "-oProxyCommand", "a b", ""}) {
            try (PretendedNode node = node(name)) {
                assertThat(run(node, "restart {name}")).isEqualTo(2);
                assertThat(printed.toString())
                        .contains("{name} is '" + name + "', which a shell may interpret.");
                assertThat(node.asked).noneMatch(each -> each.target().contains("can-stop"));
            }
        }
    }

    @Test
    void nothingIsRestartedIfAMemberDoesNotAnswer() throws IOException {
        try (PretendedNode node = new PretendedNode(request -> answer("403 Forbidden", ""))) {
            assertThat(run(node, "restart {name}")).isEqualTo(3);
            assertThat(printed.toString())
                    .contains("it answers 403 Forbidden.", "No member was restarted.");
        }
    }
}
