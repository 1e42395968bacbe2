package dev.quorate.cli.client;

import static dev.quorate.cli.client.PretendedNode.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code ./quorate checkpoint}: what it asks, what it prints, and how it ends. */
class CheckpointCommandsTest {

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

    private static PretendedNode node(String status, String body) throws IOException {
        return new PretendedNode(_ -> answer(status, body));
    }

    private static String request(PretendedNode node) {
        PretendedNode.Request asked = node.asked.getFirst();
        return asked.method() + " " + asked.target();
    }

    @Test
    void eachNodeMakesOne() throws IOException {
        try (PretendedNode n1 = node("201 Created", "a-1 2026-01-01T00:00:00Z 17\n");
                PretendedNode n2 = node("201 Created", "a-1 \033[2J 18\n")) {
            assertThat(run("checkpoint", "a-1", "--url", n1.url() + "," + n2.url())).isZero();
            assertThat(request(n1)).isEqualTo("POST /admin/checkpoint?name=a-1");
            assertThat(request(n2)).isEqualTo("POST /admin/checkpoint?name=a-1");
            assertThat(out.toString().lines())
                    .containsExactly(
                            n1.url() + "  a-1 2026-01-01T00:00:00Z 17", n2.url() + "  a-1 ?[2J 18");
        }
    }

    @Test
    void listAndRemoveAreCommandsOfTheirOwn() throws IOException {
        try (PretendedNode n1 = node("200 OK", "a 2026-01-01T00:00:00Z 17\nb under way\n")) {
            assertThat(run("checkpoint", "list", "--url", n1.url())).isZero();
            assertThat(request(n1)).isEqualTo("GET /admin/checkpoint");
            assertThat(out.toString().lines()).hasSize(2);
        }
        try (PretendedNode n1 = node("200 OK", "a is removed.\n")) {
            assertThat(run("checkpoint", "remove", "a", "--url", n1.url())).isZero();
            assertThat(request(n1)).isEqualTo("DELETE /admin/checkpoint?name=a");
        }
    }

    @Test
    void whatANodeRefusesIsPrinted() throws IOException {
        try (PretendedNode n1 = node("201 Created", "a\n");
                PretendedNode n2 = node("409 Conflict", "There is one")) {
            assertThat(run("checkpoint", "a", "--url", n1.url() + "," + n2.url())).isEqualTo(1);
            assertThat(run("checkpoint", "a", "--url", n2.url())).isEqualTo(3);
            assertThat(err.toString()).contains(n2.url() + " answers 409 Conflict: There is one");
        }
        PretendedNode down = node("201 Created", "a\n");
        down.close();
        assertThat(run("checkpoint", "a", "--url", down.url())).isEqualTo(3);
        assertThat(err.toString()).contains(down.url() + " cannot be asked: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", "A", "a/b", "a&b", "a.b", "a b"})
    void anotherNameIsNotSent(String name) throws IOException {
        try (PretendedNode n1 = node("201 Created", "")) {
            assertThat(run("checkpoint", name, "--url", n1.url())).isEqualTo(2);
            assertThat(run("checkpoint", "remove", name, "--url", n1.url())).isEqualTo(2);
            assertThat(run("checkpoint", "--url", n1.url())).isEqualTo(2);
            assertThat(run("checkpoint", "list", name, "--url", n1.url())).isEqualTo(2);
            assertThat(n1.asked).isEmpty();
        }
    }
}
