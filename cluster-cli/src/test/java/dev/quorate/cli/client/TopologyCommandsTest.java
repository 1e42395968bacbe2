package dev.quorate.cli.client;

import static dev.quorate.cli.client.PretendedNode.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
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
            assertThat(run("member", "status", "--url", node.url())).isZero();
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

    /** The page in an epoch, with rows of a name, a part and a standing. */
    private static String page(int epoch, String... rows) {
        StringBuilder page = new StringBuilder("cluster 0-1, epoch " + epoch);
        boolean isJoint = Stream.of(rows).anyMatch(row -> !row.contains(" stays "));
        page.append(isJoint ? ", a change is in progress\n" : "\n");
        page.append("NAME    ADDRESS        SINCE  EPOCH  PART   STANDING\n");
        for (String row : rows) {
            String[] words = row.split(" ", -1);
            page.append(
                    words.length == 3
                            ? "%-7s http://%s:1    1      -      %-6s %s\n"
                                    .formatted(words[0], words[0], words[1], words[2])
                            : row + "\n");
        }
        return answer("200 OK", page.toString());
    }

    private static final String BEFORE = page(8, "n1 stays self", "n2 stays up");

    /** A node that says that it lives, answers a change with a page, and then shows pages. */
    private static PretendedNode node(String first, String changed, String... later)
            throws IOException {
        Iterator<String> pages =
                Stream.concat(Stream.of(first), Stream.of(later)).toList().iterator();
        return new PretendedNode(
                asked ->
                        asked.target().equals("/livez")
                                ? answer("200 OK", "")
                                : asked.method().equals("POST") ? changed : pages.next());
    }

    private static String withCopies(String page, String copies) {
        return page.replaceFirst("epoch [0-9]+", "$0, " + copies);
    }

    @Test
    void theReplicationFactorIsChanged() throws IOException {
        String joint =
                page(9, "n1 stays self", "n2 stays up").replace("9", "9, a change is in progress");
        for (String end : List.of("1 copy", "2 copies")) {
            try (PretendedNode node =
                    node(
                            BEFORE,
                            withCopies(joint, "2 copies and then 1"),
                            withCopies(page(10, "n1 stays self", "n2 stays up"), end))) {
                String url = "--url=" + node.url();
                assertThat(run("member", "set", "--replication", "1", url))
                        .isEqualTo(end.equals("1 copy") ? 0 : 4);
                assertThat(post(node).body()).isEqualTo("{\"replication\":1,\"dryRun\":false}");
                assertThat(run("member", "set", "n2", "--replication", "1", url)).isEqualTo(2);
                assertThat(run("member", "set", url)).isEqualTo(2);
                assertThat(run("member", "set", "--replication", "x", url)).isEqualTo(2);
            }
        }
        assertThat(err.toString()).contains("The change was cancelled");
    }

    @Test
    void anAddedMemberIsAwaited() throws IOException {
        String lacks = "The change waits for n4, which does not have all of its keys yet.";
        String silent = "The change waits for n2, which does not answer.";
        String joins = page(9, "n1 stays self", "n2 stays up", "n4 joins up", lacks);
        try (PretendedNode node =
                node(
                        BEFORE,
                        joins,
                        joins,
                        BEFORE, // a node that does not know the epoch yet
                        page(9, "n1 stays self", "n2 stays down", "n4 joins up", lacks, silent),
                        page(10, "n1 stays self", "n2 stays up", "n4 stays up"))) {
            assertThat(run("member", "add", "n4=" + node.url(), "--url", node.url())).isZero();
            assertThat(err.toString().lines())
                    .containsExactly(
                            "The change continues if this command ends; ./quorate member cancel cancels it.",
                            lacks,
                            lacks + " " + silent);
            assertThat(out.toString()).startsWith("cluster 0-1, epoch 10").contains("n4      http");
            PretendedNode.Request post = post(node);
            assertThat(post.headers()).containsEntry("if-match", "\"8\"");
            assertThat(post.body())
                    .isEqualTo(
                            "{\"add\":[{\"name\":\"n4\",\"url\":\"%s\"}],\"dryRun\":false}"
                                    .formatted(node.url()));
        }
    }

    private static PretendedNode.Request post(PretendedNode node) {
        return node.asked.stream().filter(each -> each.method().equals("POST")).findAny().get();
    }

    @Test
    void aMemberThatDoesNotRunIsNotAdded() throws IOException {
        PretendedNode gone = node("");
        gone.close();
        try (PretendedNode node = node(BEFORE, "")) {
            assertThat(run("member", "add", "n4=" + gone.url(), "--url", node.url())).isEqualTo(4);
            assertThat(err.toString())
                    .startsWith("n4 does not answer at " + gone.url() + ": start it first (")
                    .endsWith("). Nothing was changed.\n");
            assertThat(node.asked).noneMatch(asked -> asked.method().equals("POST"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"add", "add n4", "add N4=http://d:1", "add n4=d", "remove", "remove N2"})
    void aChangeOfMembersNamesThem(String words) throws IOException {
        try (PretendedNode node = new PretendedNode(asked -> BEFORE)) {
            String[] all = ("member " + words + " --url " + node.url()).split(" ", -1);
            assertThat(run(all)).isEqualTo(2);
            assertThat(node.asked).noneMatch(asked -> asked.method().equals("POST"));
        }
    }

    /** The leaving member may not learn that it has left, so another one is asked. */
    @Test
    void aRemovalIsCompleteWhenAnotherMemberSaysSo() throws IOException {
        String leaves = page(9, "n1 stays up", "n2 leaves self");
        try (PretendedNode other = node(page(10, "n1 stays self"), "");
                PretendedNode leaving = node(BEFORE, leaves, leaves)) {
            assertThat(run("member", "remove", "n2", "--url", leaving.url() + "," + other.url()))
                    .isZero();
            assertThat(out.toString()).startsWith("cluster 0-1, epoch 10").doesNotContain("n2");
            assertThat(post(leaving).body()).isEqualTo("{\"remove\":[\"n2\"],\"dryRun\":false}");
        }
    }

    @Test
    void aChangeThatAnotherOperatorCancelsHasFailed() throws IOException {
        String leaves = page(9, "n1 stays self", "n2 leaves up");
        try (PretendedNode node = node(BEFORE, leaves, page(10, "n1 stays self", "n2 stays up"))) {
            assertThat(run("member", "remove", "n2", "--url", node.url())).isEqualTo(4);
            assertThat(err.toString())
                    .endsWith("The change was cancelled: epoch 10 has the members n1, n2.\n");
        }
    }

    @Test
    void aChangeIsNotAwaitedIfItIsOnlyShownOrNobodyWaits() throws IOException {
        String leaves = page(9, "n1 stays self", "n2 leaves up");
        for (String option : List.of("--dry-run", "--no-wait")) {
            try (PretendedNode node = node(BEFORE, leaves)) {
                assertThat(run("member", "remove", "n2", option, "--url", node.url())).isZero();
                assertThat(out.toString())
                        .contains("n2      http://n2:1    1      -      leaves up");
                assertThat(post(node).body()).contains("\"dryRun\":" + option.equals("--dry-run"));
            }
        }
    }

    @Test
    void aChangeInProgressCanBeCancelled() throws IOException {
        String leaves = page(9, "n1 stays self", "n2 leaves up");
        try (PretendedNode node = node(leaves, page(10, "n1 stays self", "n2 stays up"));
                PretendedNode stable = node(BEFORE, "")) {
            assertThat(run("member", "cancel", "--url", node.url())).isZero();
            assertThat(out.toString()).startsWith("cluster 0-1, epoch 10");
            assertThat(post(node).body()).isEqualTo("{\"cancel\":true,\"dryRun\":false}");
            assertThat(run("member", "cancel", "--url", stable.url())).isEqualTo(4);
            assertThat(err.toString())
                    .isEqualTo("No change of members is in progress. Nothing was changed.\n");
            assertThat(stable.asked).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "409 Conflict, Another change is in progress. Nothing was changed., 4",
        "422 Unprocessable Content, The cluster has no member 'n9'. Nothing was changed., 4",
        "503 Service Unavailable, The node is stopping. Nothing was attempted., 3",
        "503 Service Unavailable, the change may still be made: see GET /admin/members., 5",
    })
    void aRefusedChangeOfMembersIsNotRepeated(String status, String detail, int exit)
            throws IOException {
        String problem = "{\"status\":1,\"detail\":\"" + detail + "\"}";
        try (PretendedNode node = node(BEFORE, answer(status, problem))) {
            assertThat(run("member", "remove", "n9", "--url", node.url())).isEqualTo(exit);
            assertThat(err.toString().strip())
                    .isEqualTo(node.url() + " answers " + status + ": " + detail);
            assertThat(node.asked).hasSize(2);
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

    @Test
    void theEndOfTheChangeBeforeIsAwaited() throws IOException {
        AtomicInteger changes = new AtomicInteger();
        PretendedNode.Behaviour early =
                asked ->
                        asked.method().equals("GET")
                                ? page(9, "n1 stays self")
                                : changes.incrementAndGet() < 3
                                        ? answer(
                                                "409 Conflict",
                                                "{\"detail\":\"The change before is not over: n2. Nothing was"
                                                        + " changed.\"}")
                                        : page(10, "n1 stays self");
        try (PretendedNode node = new PretendedNode(early)) {
            assertThat(run("member", "remove", "n2", "--url", node.url())).isZero();
            assertThat(err.toString()).containsOnlyOnce("Waiting for its end.");
            assertThat(changes).hasValue(3);
            changes.set(0);
            assertThat(run("member", "remove", "n2", "--no-wait", "--url", node.url()))
                    .isEqualTo(4);
        }
    }

    @Test
    void membersAreReplacedLostAndPlaced() throws IOException {
        try (PretendedNode node = node(answer("200 OK", page(9, "n1 stays self")))) {
            String[] url = {"--url", node.url(), "--no-wait"};
            String by = "n4=" + node.url();
            assertThat(run("member", "replace", "n2", "--by", by, "--lost", url[0], url[1], url[2]))
                    .isZero();
            assertThat(node.asked.getLast().body())
                    .isEqualTo(
                            "{\"add\":[{\"name\":\"n4\",\"url\":\"%s\"}],\"lost\":[\"n2\"],\"dryRun\":false}"
                                    .formatted(node.url()));
            assertThat(
                            run(
                                    "member",
                                    "remove",
                                    "n2",
                                    "n3",
                                    "--lost",
                                    "--accept-loss",
                                    url[0],
                                    url[1],
                                    url[2]))
                    .isZero();
            assertThat(node.asked.getLast().body())
                    .isEqualTo("{\"lost\":[\"n2\",\"n3\"],\"acceptLoss\":true,\"dryRun\":false}");
            assertThat(
                            run(
                                    "member",
                                    "set",
                                    "n2",
                                    "--zone",
                                    "b",
                                    "--weight",
                                    "1.5",
                                    url[0],
                                    url[1],
                                    url[2]))
                    .isZero();
            assertThat(node.asked.getLast().body())
                    .isEqualTo(
                            "{\"set\":[{\"name\":\"n2\",\"zone\":\"b\",\"weight\":1.5}],\"dryRun\":false}");
            assertThat(run("member", "set", "n2", "--weight", "x", url[0], url[1])).isEqualTo(2);
            assertThat(run("member", "set", "n2", url[0], url[1])).isEqualTo(2);
        }
    }
}
