package dev.quorate.cli.client;

import static dev.quorate.cli.client.PretendedNode.answer;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code ./quorate events}: what it asks, what it prints, and how it ends. */
class EventsCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final AtomicInteger pauses = new AtomicInteger();

    private int run(String... arguments) {
        CommandLine commandLine =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        new ClientCommands(
                        SystemTicker.INSTANCE,
                        InputStream.nullInputStream(),
                        OutputStream.nullOutputStream(),
                        () -> pauses.getAndDecrement() > 0,
                        Map.of())
                .addTo(commandLine);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private static String line(String node, long sequence, int second, String rest) {
        return "{\"node\":\"%s\",\"sequence\":%d,\"time\":\"2026-01-01T00:00:%02dZ\","
                        .formatted(node, sequence, second)
                + "\"severity\":\"warning\","
                + rest
                + "}\n";
    }

    private static PretendedNode node(String body) throws IOException {
        // A node sends UTF-8; this one sends a byte for each character.
        String bytes = new String(body.getBytes(UTF_8), ISO_8859_1);
        return new PretendedNode(_ -> answer("200 OK", bytes));
    }

    @Test
    void theEventsOfAllNodesAreInOneOrder() throws IOException {
        try (PretendedNode n1 =
                        node(
                                line("n1", 7, 1, "\"text\":\"n3 is down: \\\"x\\\"\"")
                                        + line("n1", 8, 3, "\"text\":\"last\""));
                PretendedNode n2 = node(line("n2", 5, 2, "\"text\":\"a\u009b2J\\u001b[0m\""))) {
            assertThat(run("events", "--url", n1.url(), "--url", n2.url())).isZero();
            assertThat(out.toString().lines())
                    .containsExactly(
                            "2026-01-01T00:00:01Z  n1  warning  n3 is down: \"x\"",
                            "2026-01-01T00:00:02Z  n2  warning  a?2J\\u001b[0m",
                            "2026-01-01T00:00:03Z  n1  warning  last");
            assertThat(run("events", "--json", "--url", n2.url())).isZero();
            assertThat(out.toString())
                    .contains("\"text\":\"a?2J\\u001b[0m\"")
                    .doesNotContain("\u009b");
            assertThat(n1.asked.getFirst().target()).isEqualTo("/admin/events?since=0");
            assertThat(n1.asked.getFirst().headers())
                    .containsEntry("accept", "application/x-ndjson");
        }
    }

    @Test
    void followingGoesOnAfterTheLastEventOfEachNode() throws IOException {
        AtomicInteger rounds = new AtomicInteger();
        try (PretendedNode n1 =
                new PretendedNode(
                        _ ->
                                answer(
                                        "200 OK",
                                        line("n1", 7, 1, "\"text\":\"" + rounds.get() + "\"")
                                                .repeat(rounds.getAndIncrement() == 1 ? 0 : 1)))) {
            pauses.set(2);
            assertThat(run("events", "--follow", "--json", "--url", n1.url())).isZero();
            assertThat(n1.asked.stream().map(PretendedNode.Request::target))
                    .containsExactly(
                            "/admin/events?since=0",
                            "/admin/events?since=7",
                            "/admin/events?since=7");
            assertThat(out.toString().lines())
                    .hasSize(2)
                    .first()
                    .isEqualTo(line("n1", 7, 1, "\"text\":\"0\"").strip());
        }
    }

    @Test
    void aNodeThatIsDownIsSaidOnce() throws IOException {
        PretendedNode down = node("");
        down.close();
        try (PretendedNode up = node("")) {
            pauses.set(3);
            assertThat(run("events", "--follow", "--url", up.url() + "," + down.url()))
                    .isEqualTo(1);
            assertThat(err.toString().lines())
                    .singleElement()
                    .asString()
                    .startsWith(down.url() + " cannot be asked: ");
            assertThat(run("events", "--url", down.url())).isEqualTo(3);
        }
    }

    @Test
    void whatIsNoEventIsNotPrinted() throws IOException {
        for (String nonsense :
                List.of(
                        "hello\n",
                        "{}\n",
                        line("n1", 1, 1, "\"text\":\"a\"} "),
                        "\"".repeat(60_000))) {
            try (PretendedNode node = node(nonsense)) {
                assertThat(run("events", "--url", node.url())).isEqualTo(3);
            }
        }
        try (PretendedNode node = new PretendedNode(_ -> answer("400 Bad Request", "no page"))) {
            assertThat(run("events", "--url", node.url())).isEqualTo(3);
        }
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).contains("is not an event", "400 Bad Request: no page");
    }
}
