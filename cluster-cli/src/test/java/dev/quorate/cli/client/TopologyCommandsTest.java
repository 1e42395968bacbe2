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
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code ./quorate member}: what it asks, and how it ends. */
final class TopologyCommandsTest {

    private static final String PAGE =
            "cluster 0-1, epoch 7\nNAME ADDRESS\nn2   http://b:1   1   7   up\n";

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

    private static PretendedNode node(String changed) throws IOException {
        return new PretendedNode(
                asked -> asked.method().equals("GET") ? answer("200 OK", PAGE) : changed);
    }

    @Test
    void theMembersArePrintedByTheFirstNodeThatAnswers() throws IOException {
        PretendedNode gone = node("");
        gone.close();
        try (PretendedNode node = node("")) {
            assertThat(run("member", "list", "--url", gone.url() + "," + node.url())).isZero();
            assertThat(out.toString().lines()).containsExactlyElementsOf(PAGE.lines().toList());
            assertThat(err.toString()).contains(gone.url() + " cannot be asked");
            assertThat(node.asked.getFirst().target()).isEqualTo("/admin/members");
            assertThat(node.asked.getFirst().headers()).containsEntry("accept", "text/plain");
        }
        assertThat(run("member", "list", "--url", gone.url())).isEqualTo(3);
    }

    @Test
    void aChangeNamesTheEpochThatWasRead() throws IOException {
        String after = PAGE.replace("epoch 7", "epoch 8");
        try (PretendedNode node = node(answer("200 OK", after))) {
            assertThat(run("member", "set", "n2", "--to", "http://c:1", "--url", node.url()))
                    .isZero();
            assertThat(out.toString()).startsWith("cluster 0-1, epoch 8");
            PretendedNode.Request post = node.asked.getLast();
            assertThat(post.method()).isEqualTo("POST");
            assertThat(post.headers()).containsEntry("if-match", "\"7\"");
            assertThat(post.body())
                    .isEqualTo(
                            "{\"set\":[{\"name\":\"n2\",\"url\":\"http://c:1\"}],"
                                    + "\"dryRun\":false}");
            assertThat(
                            run(
                                    "member",
                                    "set",
                                    "n2",
                                    "--to",
                                    "http://c:1",
                                    "--dry-run",
                                    "--url",
                                    node.url()))
                    .isZero();
            assertThat(node.asked.getLast().body()).contains("\"dryRun\":true");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "409 Conflict, Another change has won., 4",
        "412 Precondition Failed, The cluster is in epoch 9., 4",
        "422 Unprocessable Content, The cluster has no member 'n9'., 4",
        "501 Not Implemented, only addresses., 4",
        "503 Service Unavailable, The node is stopping. Nothing was attempted., 3",
        "503 Service Unavailable, the change may still be made: see GET /admin/members., 5",
    })
    void aFailureSaysWhy(String status, String detail, int exit) throws IOException {
        String problem = "{\"status\":1,\"detail\":\"" + detail + "\"}";
        try (PretendedNode node = node(answer(status, problem))) {
            assertThat(run("member", "set", "n2", "--to", "http://c:1", "--url", node.url()))
                    .isEqualTo(exit);
            assertThat(err.toString().strip())
                    .isEqualTo(node.url() + " answers " + status + ": " + detail);
        }
    }

    @Test
    void anAddressThatIsNoneIsNotSent() throws IOException {
        try (PretendedNode node = node("")) {
            for (String to : new String[] {"c", "http://c:\"1", "http://c", "http://c:1/x"}) {
                assertThat(run("member", "set", "n2", "--to", to, "--url", node.url()))
                        .isEqualTo(2);
            }
            assertThat(node.asked).noneMatch(asked -> asked.method().equals("POST"));
        }
    }

    @Test
    void withoutAnAnswerTheOutcomeIsUnknown() throws IOException {
        try (PretendedNode node = node(null)) {
            assertThat(run("member", "set", "n2", "--to", "http://c:1", "--url", node.url()))
                    .isEqualTo(5);
            assertThat(err.toString()).contains("may be changed now or later");
        }
    }

    @Test
    void whoMayNotAskIsRefused() throws IOException {
        String problem =
                answer("403 Forbidden", "{\"detail\":\"The token 'r' has the role read\"}");
        try (PretendedNode node = new PretendedNode(asked -> problem)) {
            assertThat(run("member", "list", "--url", node.url())).isEqualTo(4);
            assertThat(err.toString()).contains("403 Forbidden: The token 'r' has the role read");
            assertThat(run("member", "set", "n2", "--url", node.url())).isEqualTo(2);
            assertThat(run("member", "set", "N\"", "--to", "http://c:1", "--url", node.url()))
                    .isEqualTo(2);
            assertThat(run("member", "set", "--to", "http://c:1", "--url", node.url()))
                    .isEqualTo(2);
        }
    }
}
