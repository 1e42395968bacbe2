package dev.quorate.cli.client;

import static dev.quorate.cli.client.PretendedNode.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code ./quorate log-level}: what it asks, and what it refuses itself. */
final class LogLevelCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine commandLine =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        new ClientCommands(
                        SystemTicker.INSTANCE,
                        InputStream.nullInputStream(),
                        OutputStream.nullOutputStream(),
                        () -> false,
                        Map.of())
                .addTo(commandLine);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private String asked(String... arguments) throws IOException {
        try (PretendedNode node = new PretendedNode(_ -> answer("200 OK", "info root\n"))) {
            String[] all = Arrays.copyOf(arguments, arguments.length + 2);
            all[arguments.length] = "--url";
            all[arguments.length + 1] = node.url();
            assertThat(run(all)).isZero();
            assertThat(out.toString()).endsWith(node.url() + "  info root\n");
            PretendedNode.Request asked = node.asked.getFirst();
            return asked.method() + " " + asked.target();
        }
    }

    @Test
    void levelsAreShownAndChanged() throws IOException {
        assertThat(asked("log-level")).isEqualTo("GET /admin/log-level");
        assertThat(asked("log-level", "debug")).isEqualTo("PUT /admin/log-level?level=debug");
        assertThat(asked("log-level", "inherited", "--logger", "dev.quorate.router.transport"))
                .isEqualTo(
                        "PUT /admin/log-level?level=inherited&logger=dev.quorate.router.transport");
    }

    @Test
    void whatMakesNoSenseIsNotAsked() throws IOException {
        try (PretendedNode node = new PretendedNode(_ -> answer("200 OK", ""))) {
            assertThat(run("log-level", "loud", "--url", node.url())).isEqualTo(2);
            assertThat(run("log-level", "--logger", "a", "--url", node.url())).isEqualTo(2);
            assertThat(run("log-level", "debug", "--logger", "a&b", "--url", node.url()))
                    .isEqualTo(2);
            assertThat(node.asked).isEmpty();
        }
    }

    @Test
    void aNodeThatRefusesIsNamed() throws IOException {
        try (PretendedNode node = new PretendedNode(_ -> answer("403 Forbidden", "no"))) {
            assertThat(run("log-level", "debug", "--url", node.url())).isEqualTo(3);
            assertThat(err.toString()).contains(node.url() + " answers ");
        }
    }
}
