package dev.quorate.cli.client;

import static dev.quorate.cli.client.PretendedNode.answer;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.client.PretendedNode.Request;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Timestamp;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ClientCommandsTest {

    private static final String V = "01a1ffa680e10000-36c6c909";
    private static final String FOUND = "HTTP/1.1 200 OK\r\nX-Quorate-Version: " + V + "\r\n";
    private static final long NOW = 1_800_000_000_000L;

    @TempDir private Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final AtomicInteger pauses = new AtomicInteger();
    private String typed = "";

    private int run(String... arguments) {
        Ticker ticker =
                new Ticker() {
                    @Override
                    public long wallMillis() {
                        return NOW;
                    }

                    @Override
                    public long nanos() {
                        return 0;
                    }
                };
        CommandLine commandLine =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        new ClientCommands(
                        ticker,
                        new ByteArrayInputStream(typed.getBytes(UTF_8)),
                        bytes,
                        () -> pauses.getAndDecrement() > 0,
                        Map.of())
                .addTo(commandLine);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private static String stored(Request request) {
        return answer(
                request.method().equals("PUT") ? "201 Created" : "202 Accepted",
                "",
                "X-Quorate-Version: " + request.headers().getOrDefault("x-quorate-version", V));
    }

    /** One copy of one key, as two nodes see it: the newest version wins. */
    private static final class Register {
        private final TreeMap<String, String> writes = new TreeMap<>();

        synchronized String take(Request request) {
            String version = request.headers().getOrDefault("x-quorate-version", V);
            if (request.method().equals("HEAD")) {
                return writes.isEmpty()
                        ? answer("404 Not Found", "")
                        : answer("200 OK", "", "X-Quorate-Version: " + writes.lastKey());
            }
            writes.put(version, request.body());
            return answer("201 Created", "", "X-Quorate-Version: " + version);
        }
    }

    @Test
    void theBytesOfAValueArePrintedAsTheyAre() throws IOException {
        try (PretendedNode node =
                new PretendedNode(_ -> answer("200 OK", "a\0b\n", "X-Quorate-Version: " + V))) {
            assertThat(run("get", "a b", "--url", node.url(), "--replicas", "2/3")).isZero();
            assertThat(bytes.toString(UTF_8)).isEqualTo("a\0b\n");
            assertThat(node.asked.getFirst().target())
                    .isEqualTo("/v0/entity?id=a%20b&replicas=2/3");
            assertThat(run("get", "%ff", "--encoded", "--json", "--url", node.url())).isZero();
            assertThat(out.toString())
                    .isEqualToNormalizingNewlines(
                            "{\"key\":\"/w==\",\"value\":\"YQBiCg==\",\"version\":\""
                                    + V
                                    + "\"}\n");
        }
    }

    @Test
    void aKeyThatIsNotThereIsAnExitCodeOfItsOwn() throws IOException {
        try (PretendedNode node = new PretendedNode(_ -> answer("404 Not Found", "{}"))) {
            assertThat(run("get", "a+b", "--url", node.url())).isEqualTo(1);
            assertThat(bytes.toByteArray()).isEmpty();
            assertThat(err.toString()).contains("No such key.", "+ is a plus, and a blank is %20");
        }
    }

    @Test
    void aReadGoesToTheNextNodeWhereOneIsDownOrBusyOrBreaksOff() throws IOException {
        PretendedNode down = new PretendedNode(_ -> null);
        down.close();
        try (PretendedNode busy = new PretendedNode(_ -> answer("503 Service Unavailable", "x"));
                PretendedNode dies = new PretendedNode(_ -> null);
                PretendedNode good =
                        new PretendedNode(_ -> answer("200 OK", "v", "X-Quorate-Version: " + V))) {
            String urls = String.join(",", down.url(), busy.url(), dies.url());
            assertThat(run("get", "a", "--url", urls, "--url", good.url())).isZero();
            assertThat(bytes.toString(UTF_8)).isEqualTo("v");
            assertThat(run("get", "a", "--url", urls)).isEqualTo(3);
            assertThat(err.toString())
                    .contains(down.url() + " cannot be reached", "503: x")
                    .contains(dies.url() + " did not answer");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\n\r\nabc",
                "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                "Transfer-Encoding: chunked\r\n\r\n9\r\nabc",
                "Transfer-Encoding: chunked\r\n\r\nx\r\nabc\r\n",
            })
    void aValueThatBreaksOffIsNotTakenForAWholeOne(String rest) throws IOException {
        try (PretendedNode node = new PretendedNode(_ -> FOUND + rest)) {
            assertThat(run("get", "a", "--url", node.url())).isEqualTo(3);
        }
    }

    @Test
    void aValueInChunksIsWhole() throws IOException {
        String chunks = "3;x=y\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n";
        try (PretendedNode node =
                new PretendedNode(_ -> FOUND + "Transfer-Encoding: chunked\r\n\r\n" + chunks)) {
            assertThat(run("get", "a", "--url", node.url())).isZero();
            assertThat(bytes.toString(UTF_8)).isEqualTo("abc0123456789abcdef");
        }
    }

    @Test
    void aValueComesFromTheCommandLineAFileOrStandardInput() throws IOException {
        Path file = Files.writeString(folder.resolve("value"), "of a file");
        typed = "typed";
        try (PretendedNode node = new PretendedNode(ClientCommandsTest::stored)) {
            assertThat(run("put", "a", "given", "--url", node.url(), "--ttl", "60")).isZero();
            assertThat(run("put", "a", "--file", file.toString(), "--url", node.url())).isZero();
            assertThat(run("put", "a", "--url", node.url())).isZero();
            assertThat(run("put", "a", "", "--url", node.url())).isZero();
            assertThat(node.asked)
                    .extracting(Request::body)
                    .containsExactly("given", "of a file", "typed", "");
            assertThat(node.asked.getFirst().target()).isEqualTo("/v0/entity?id=a&ttl=60");
            // One node: it gives the version.
            assertThat(node.asked)
                    .noneMatch(request -> request.headers().containsKey("x-quorate-version"));
            assertThat(out.toString().lines()).containsExactly(V, V, V, V);
            assertThat(run("put", "a", "b", "--file", file.toString(), "--url", node.url()))
                    .isEqualTo(2);
        }
    }

    /** Two nodes of which the first that gets a write dies in it. */
    private int putWhereANodeDies(Register register, Runnable thenWritten) throws IOException {
        AtomicInteger writes = new AtomicInteger();
        PretendedNode.Behaviour behaviour =
                request -> {
                    String answer = register.take(request);
                    boolean dies =
                            !request.method().equals("HEAD") && writes.incrementAndGet() == 1;
                    if (dies) {
                        thenWritten.run();
                    }
                    return dies ? null : answer;
                };
        try (PretendedNode one = new PretendedNode(behaviour);
                PretendedNode other = new PretendedNode(behaviour)) {
            int exit = run("put", "a", "v", "--url", one.url(), "--url", other.url());
            assertThat(writes).as("writes").hasValue(2);
            return exit;
        }
    }

    @Test
    void aWriteThatANodeDiesInIsTheSameWriteOnTheNext() throws IOException {
        Register register = new Register();
        assertThat(putWhereANodeDies(register, () -> {})).isZero();
        assertThat(register.writes).hasSize(1).containsValue("v");
        assertThat(out.toString().strip()).isEqualTo(register.writes.firstKey());
    }

    @Test
    void aWriteThatANodeDiesInDoesNotHideWhatWasWrittenAfterIt() throws IOException {
        Register register = new Register();
        String later = Timestamp.of(System.currentTimeMillis() + 60_000, 0, 7).toString();
        Request other = new Request("PUT", "", Map.of("x-quorate-version", later), "later");
        assertThat(putWhereANodeDies(register, () -> register.take(other))).isZero();
        assertThat(register.writes).hasSize(2);
        assertThat(register.writes.lastEntry().getValue()).isEqualTo("later");
    }

    @Test
    void aWriteToSeveralNodesIsNewerThanWhatIsThereWhateverTheClockHere() throws IOException {
        Register register = new Register();
        String ahead = Timestamp.of(System.currentTimeMillis() + 300_000, 5, -1).toString();
        register.writes.put(ahead, "old");
        try (PretendedNode one = new PretendedNode(register::take);
                PretendedNode other = new PretendedNode(register::take)) {
            assertThat(run("delete", "a", "--url", one.url() + "," + other.url())).isZero();
            assertThat(register.writes.lastKey()).isGreaterThan(ahead);
        }
    }

    @Test
    void aWriteWithOneNodeThatDiesIsOfUnknownOutcome() throws IOException {
        try (PretendedNode dies = new PretendedNode(_ -> null)) {
            assertThat(run("put", "a", "v", "--url", dies.url())).isEqualTo(5);
            assertThat(err.toString())
                    .contains("did not answer", "read the key before you write it again");
        }
    }

    @Test
    void anIndeterminateWriteNamesItsVersionAndCanBeSentAgain() throws IOException {
        try (PretendedNode late =
                        new PretendedNode(
                                _ ->
                                        answer(
                                                "504 Gateway Timeout",
                                                "{}",
                                                "X-Quorate-Version: " + V));
                PretendedNode good = new PretendedNode(ClientCommandsTest::stored)) {
            assertThat(run("put", "a", "v", "--url", late.url())).isEqualTo(5);
            assertThat(err.toString()).contains("--write-version " + V + " sends the same write");
            String[] again = {"put", "a", "v", "--write-version", V, "--url", good.url()};
            assertThat(run(again)).isZero();
            assertThat(good.asked.getFirst().headers()).containsEntry("x-quorate-version", V);
            String[] nonsense = {"put", "a", "v", "--write-version", "new", "--url", good.url()};
            assertThat(run(nonsense)).isEqualTo(2);
        }
    }

    @Test
    void aRefusalIsNotSentToTheNextNode() throws IOException {
        PretendedNode.Behaviour refuses =
                request ->
                        request.method().equals("HEAD")
                                ? answer("404 Not Found", "")
                                : answer("413 Content Too Large", "too large");
        try (PretendedNode one = new PretendedNode(refuses);
                PretendedNode other = new PretendedNode(refuses)) {
            assertThat(run("put", "a", "v", "--url", one.url() + "," + other.url())).isEqualTo(4);
            assertThat(err.toString()).contains("413: too large");
            assertThat(one.asked.size() + other.asked.size()).isEqualTo(2);
        }
    }

    /** The answer to a HEAD has no text. */
    @Test
    void aRefusalOfTheReadBeforeAWriteIsReportedWithItsText() throws IOException {
        PretendedNode.Behaviour refuses =
                request ->
                        request.method().equals("HEAD")
                                ? answer("400 Bad Request", "no quorum").replace("no quorum", "")
                                : answer("400 Bad Request", "no quorum");
        try (PretendedNode one = new PretendedNode(refuses);
                PretendedNode other = new PretendedNode(refuses)) {
            String urls = one.url() + "," + other.url();
            assertThat(run("put", "a", "v", "--replicas", "2/9", "--url", urls)).isEqualTo(4);
            assertThat(err.toString()).contains("400: no quorum");
            assertThat(one.asked.size() + other.asked.size()).isEqualTo(2);
        }
    }

    @Test
    void whereNoNodeIsUpNothingIsStored() {
        // A port that the system gives to nobody.
        assertThat(run("put", "a", "v", "--url", "http://127.0.0.1:1")).isEqualTo(3);
        assertThat(err.toString()).contains("cannot be reached", "Nothing is stored.");
    }

    private static String line(String base64Key, String base64Value) {
        return "{\"key\":\"%s\",\"value\":\"%s\",\"version\":\"%s\"}\n"
                .formatted(base64Key, base64Value, V);
    }

    @Test
    void aRangeIsPrintedALineForEachEntry() throws IOException {
        String lines = line("YQ==", "YiBj") + line("/w==", "");
        try (PretendedNode node = new PretendedNode(_ -> answer("200 OK", lines))) {
            String[] range = {"scan", "--start", "a", "--limit", "2", "--url", node.url()};
            assertThat(run(range)).as(err.toString()).isZero();
            assertThat(out.toString().lines()).containsExactly("a\tb%20c", "%FF\t");
            assertThat(node.asked.getFirst().target())
                    .isEqualTo("/v0/entities?limit=2&start=a&cursor=");
            assertThat(node.asked.getFirst().headers())
                    .containsEntry("accept", "application/x-ndjson");
            out.getBuffer().setLength(0);
            assertThat(run("scan", "--json", "--url", node.url())).isZero();
            assertThat(out.toString()).isEqualToNormalizingNewlines(lines);
            assertThat(node.asked.getLast().target())
                    .isEqualTo("/v0/entities?limit=256&prefix=&cursor=");
        }
        try (PretendedNode node = new PretendedNode(_ -> answer("200 OK", "no JSON\n"))) {
            assertThat(run("scan", "--url", node.url())).isEqualTo(3);
        }
    }

    @Test
    void aPageThatBreaksOffIsReadAtTheNextNode() throws IOException {
        String first = line("YQ==", "") + "{\"cursor\":\"c\"}\n";
        String second = line("Yg==", "");
        PretendedNode.Behaviour pages =
                request -> answer("200 OK", request.target().endsWith("=") ? first : second);
        try (PretendedNode breaks =
                        new PretendedNode(
                                request -> {
                                    String whole = pages.answer(request);
                                    return whole.substring(0, whole.length() - 3);
                                });
                PretendedNode good = new PretendedNode(pages)) {
            String urls = breaks.url() + "," + good.url();
            assertThat(run("scan", "--end", "z", "--url", urls)).as(err.toString()).isZero();
            assertThat(out.toString().lines()).containsExactly("a\t", "b\t");
            assertThat(good.asked.getLast().target())
                    .matches("/v0/entities\\?limit=[0-9]+&start=%00&end=z&cursor=c");
            int asked = good.asked.size();
            assertThat(run("scan", "--limit", "1", "--url", good.url())).isZero();
            assertThat(good.asked).as("the next page is not needed").hasSize(asked + 1);
            assertThat(run("scan", "--url", breaks.url())).isEqualTo(3);
            assertThat(err.toString()).contains(breaks.url() + " did not answer");
            assertThat(run("scan", "--limit", "0", "--url", urls)).isEqualTo(2);
            assertThat(run("scan", "--reverse", "--end", "a", "--url", good.url())).isEqualTo(3);
            assertThat(good.asked.getLast().target()).contains("&end=a&reverse=1&");
        }
    }

    @ParameterizedTest
    @CsvSource({"128, 1", "129, 3"})
    void noMoreMembersAreAskedThanAClusterCanHave(int count, int exit) throws IOException {
        try (PretendedNode one = new PretendedNode(_ -> answer("200 OK", "ready\n"));
                PretendedNode stranger = new PretendedNode(_ -> answer("503 Busy", ""))) {
            StringBuilder members = new StringBuilder();
            for (int i = 1; i <= count; i++) {
                members.append(i == 1 ? "" : ",")
                        .append("{\"name\":\"n%d\",\"url\":\"%s\"}".formatted(i, stranger.url()));
            }
            one.ring = answer("200 OK", "{\"self\":\"n1\",\"members\":[" + members + "]}");
            assertThat(run("status", "--url", one.url())).isEqualTo(exit);
            assertThat(stranger.asked)
                    .filteredOn(request -> request.target().equals("/readyz"))
                    .hasSize(exit == 1 ? count - 1 : 0);
            assertThat(err.toString().contains("it names more than 128 members of its cluster"))
                    .isEqualTo(exit == 3);
        }
    }

    @Test
    void allMembersAreFoundFromOneUrl() throws IOException {
        PretendedNode down = new PretendedNode(_ -> null);
        down.close();
        try (PretendedNode one = new PretendedNode(_ -> answer("200 OK", "ready\n"));
                PretendedNode two = new PretendedNode(_ -> answer("200 OK", "ready\n"))) {
            one.ring =
                    answer(
                            "200 OK",
                            """
                            {"self":"n1","members":[{"name":"n1","url":"http://10.0.0.1:8080"},\
                            {"name":"n2","url":"%s"},{"name":"n3","url":"%s"}]}"""
                                    .formatted(two.url(), down.url()));
            assertThat(run("status", "--url", one.url())).isEqualTo(1);
            assertThat(out.toString().lines().toList())
                    .hasSize(3)
                    .contains(one.url() + "  ready", two.url() + "  ready")
                    .last()
                    .asString()
                    .startsWith(down.url() + "  not reached: ");
            out.getBuffer().setLength(0);
            assertThat(run("status", "--only", "--url", one.url())).isZero();
            assertThat(out.toString().strip()).isEqualTo(one.url() + "  ready");
            out.getBuffer().setLength(0);
            assertThat(run("status", "--url", one.url() + "," + two.url())).isZero();
            assertThat(out.toString().lines()).as("several URLs").hasSize(2);
        }
    }

    @Test
    void whatIsWatchedIsPrintedWhenItChanges() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (PretendedNode node =
                        new PretendedNode(
                                _ ->
                                        asked.incrementAndGet() < 3
                                                ? answer("503 Unavailable", "failed x: y\n")
                                                : answer("200 OK", "ready\n"));
                PretendedNode other = new PretendedNode(_ -> answer("200 OK", "ready\n"))) {
            pauses.set(4);
            assertThat(run("status", "--watch", "--url", node.url() + "," + other.url())).isZero();
            assertThat(other.asked).hasSize(5);
            assertThat(out.toString().lines())
                    .containsExactly(
                            node.url() + "  not ready: x: y",
                            other.url() + "  ready",
                            node.url() + "  ready");
        }
    }

    @Test
    void theStatusOfEachNodeIsALineWithItsReasons() throws IOException {
        PretendedNode down = new PretendedNode(_ -> null);
        down.close();
        try (PretendedNode ready = new PretendedNode(_ -> answer("200 OK", "ready\n"));
                PretendedNode not =
                        new PretendedNode(
                                _ ->
                                        answer(
                                                "503 Service Unavailable",
                                                """
                                                not ready
                                                ok     disk: fine
                                                failed votes: it "rebuilds"
                                                """))) {
            assertThat(run("status", "--url", ready.url())).isZero();
            assertThat(out.toString().strip()).isEqualTo(ready.url() + "  ready");
            List<String> urls = List.of(ready.url(), not.url(), down.url());
            assertThat(run("status", "--url", String.join(",", urls))).isEqualTo(1);
            assertThat(out.toString())
                    .contains(not.url() + "  not ready: votes: it \"rebuilds\"")
                    .contains(down.url() + "  not reached: ");
            assertThat(run("status", "--json", "--url", not.url())).isEqualTo(1);
            assertThat(out.toString())
                    .contains(
                            "[{\"url\":\"%s\",\"state\":\"not ready\",\"reasons\":[\"votes: it"
                                            .formatted(not.url())
                                    + " \\\"rebuilds\\\"\"]}]");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ftp://127.0.0.1:8080",
        "127.0.0.1",
        "http://127.0.0.1",
        "http://127.0.0.1:70000",
        "http://a b:1",
        "http://user@127.0.0.1:1",
        "http://127.0.0.1:1/v0"
    })
    void anAddressOfAnotherFormIsRefused(String url) {
        assertThat(run("get", "a", "--url", url)).isEqualTo(2);
        assertThat(err.toString()).contains("is not a URL such as http://10.0.0.1:8080.");
    }

    @Test
    void argumentsThatMakeNoSenseAreAnExitCodeOfTheirOwn() throws IOException {
        for (String timeout : new String[] {"0", "x", "3601"}) {
            assertThat(run("get", "a", "--url", "http://127.0.0.1:1", "--timeout", timeout))
                    .isEqualTo(2);
        }
        assertThat(run("get")).isEqualTo(2);
        assertThat(run("get", "a", "--replicas", "3/2", "--url", "http://127.0.0.1:1"))
                .isEqualTo(2);
        assertThat(run("put", "a", "v", "--ttl", "x", "--url", "http://127.0.0.1:1")).isEqualTo(2);
        assertThat(run("get", "%zz", "--encoded", "--url", "http://127.0.0.1:1")).isEqualTo(2);
        assertThat(run("put", "a", "--file", folder + "/none", "--url", "http://127.0.0.1:1"))
                .isEqualTo(2);
        assertThat(run("get", "a", "--data", folder.toString())).isEqualTo(3);
        assertThat(err.toString()).contains("No cluster is running in " + folder);
    }
}
