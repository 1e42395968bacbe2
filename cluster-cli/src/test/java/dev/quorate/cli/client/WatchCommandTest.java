package dev.quorate.cli.client;

import static dev.quorate.cli.client.PretendedNode.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code ./quorate watch}: what it asks and prints, until a node refuses. */
class WatchCommandTest {

    private static final String V1 = "01a1ffa680e10000-36c6c909";
    private static final String V2 = "01a1ffa680e20000-36c6c909";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int pauses;

    private int run(String... arguments) {
        CommandLine commandLine =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        new ClientCommands(
                        SystemTicker.INSTANCE,
                        InputStream.nullInputStream(),
                        OutputStream.nullOutputStream(),
                        () -> pauses-- > 0,
                        Map.of())
                .addTo(commandLine);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private static String value(String version, String value) {
        return answer("200 OK", value, "X-Quorate-Version: " + version);
    }

    private static PretendedNode node(String... answers) throws IOException {
        Iterator<String> each = List.of(answers).iterator();
        return new PretendedNode(_ -> each.next());
    }

    @Test
    void eachChangeIsALine() throws IOException {
        try (PretendedNode node =
                node(
                        value(V1, "one"),
                        answer("304 Not Modified", "", "X-Quorate-Version: " + V1),
                        value(V2, "a\u0007b"),
                        answer("404 Not Found", "{\"status\":404}"),
                        value(V1, "back"),
                        answer("403 Forbidden", "{\"status\":403,\"detail\":\"No.\"}"))) {
            assertThat(run("watch", "a key", "--url", node.url())).isEqualTo(4);
            assertThat(out.toString().lines())
                    .containsExactly(V1 + "\tone", V2 + "\ta%07b", "-", V1 + "\tback");
            assertThat(err.toString()).contains("No.");
            assertThat(node.asked.get(1).target()).startsWith("/v0/entity?id=a%20key&wait=");
            assertThat(node.asked.get(1).headers())
                    .containsEntry("if-none-match", "\"" + V1 + "\"");
            assertThat(node.asked.get(3).headers())
                    .containsEntry("if-none-match", "\"" + V2 + "\"");
            assertThat(node.asked.get(4).headers()).doesNotContainKey("if-none-match");
        }
    }

    private static String line(String key, String version) {
        String text = Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
        return "{\"key\":\"" + text + "\",\"version\":\"" + version + "\"}\n";
    }

    private static String listing(String token, String lines) {
        return answer("200 OK", lines, "X-Quorate-Watch: " + token);
    }

    @Test
    void keysThatAppearChangeAndDisappearAreLines() throws IOException {
        try (PretendedNode node =
                node(
                        listing("T1", line("a b", V1) + line("ac", V1)),
                        answer("304 Not Modified", "", "X-Quorate-Watch: T1"),
                        answer("204 No Content", "", "X-Quorate-Watch: T2"),
                        listing("T2", line("a b", V1) + line("ac", V2) + line("ad", V1)),
                        answer("204 No Content", "", "X-Quorate-Watch: T3"),
                        listing("T4", line("ad", V1)),
                        answer("403 Forbidden", "{\"status\":403,\"detail\":\"No.\"}"))) {
            assertThat(run("watch", "--prefix", "a", "--url", node.url())).isEqualTo(4);
            assertThat(out.toString().lines())
                    .containsExactly(
                            V1 + "\ta%20b",
                            V1 + "\tac",
                            V2 + "\tac",
                            V1 + "\tad",
                            "-\ta%20b",
                            "-\tac");
            assertThat(err.toString()).contains("No.").doesNotContain("No node");
            assertThat(node.asked.get(0).target())
                    .contains("prefix=a&", "keys=only", "watch=new")
                    .doesNotContain("wait=");
            assertThat(node.asked.get(1).target()).contains("prefix=a&", "watch=T1", "wait=2");
        }
    }

    @Test
    void jsonOfAPrefixHasKeysAndVersions() throws IOException {
        try (PretendedNode node =
                node(listing("T1", line("k", V1)), answer("403 Forbidden", "{\"status\":403}"))) {
            assertThat(run("watch", "--json", "--prefix", "", "--url", node.url())).isEqualTo(4);
            assertThat(out.toString()).startsWith("{\"key\":\"aw==\",\"version\":\"" + V1 + "\"}");
            assertThat(node.asked.get(0).target()).contains("prefix=&");
        }
    }

    @Test
    void oneOfKeyAndPrefixIsNeeded() {
        assertThat(run("watch", "--url", "http://localhost:1")).isEqualTo(2);
        assertThat(run("watch", "k", "--prefix", "a", "--url", "http://localhost:1")).isEqualTo(2);
    }

    /** As long as the pause does not end the command. */
    @Test
    void aNodeThatCannotBeAskedIsReportedOnce() throws IOException {
        pauses = 3;
        try (PretendedNode node =
                node(
                        answer("503 Service Unavailable", "{\"status\":503}"),
                        answer("503 Service Unavailable", "{\"status\":503}"),
                        value(V1, "one"),
                        answer("503 Service Unavailable", "{\"status\":503}"),
                        value(V2, "two"),
                        answer("503 Service Unavailable", "{\"status\":503}"))) {
            assertThat(run("watch", "k", "--url", node.url())).isEqualTo(3);
            assertThat(out.toString().lines()).containsExactly(V1 + "\tone", V2 + "\ttwo");
            assertThat(err.toString().split("it is tried again", -1)).hasSize(4);
        }
    }

    @Test
    void jsonHasTheKey() throws IOException {
        try (PretendedNode node =
                node(value(V1, "one"), answer("403 Forbidden", "{\"status\":403}"))) {
            assertThat(run("watch", "--json", "k", "--url", node.url())).isEqualTo(4);
            assertThat(out.toString())
                    .startsWith("{\"key\":\"aw==\",\"value\":\"b25l\",\"version\":\"" + V1 + "\"");
        }
    }
}
