package dev.quorate.cli.client;

import static dev.quorate.cli.client.PretendedNode.answer;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.client.PretendedNode.Request;
import dev.quorate.node.runtime.Ticker;
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
import java.util.SplittableRandom;
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
                        new SplittableRandom(1),
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
                    .isEqualTo("/v0/entity?id=a%20b&replicas=2%2F3");
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
            assertThat(err.toString()).contains("no such key", "+ is a plus, and a blank is %20");
        }
    }

    @Test
    void aReadGoesToTheNextNodeWhereOneIsDownOrBusyOrBreaksOff() throws IOException {
        PretendedNode down = new PretendedNode(_ -> null);
        down.close();
        try (PretendedNode busy = new PretendedNode(_ -> answer("503 Service Unavailable", "x"));
                PretendedNode dies = new PretendedNode(_ -> null);
                PretendedNode good = new PretendedNode(_ -> answer("200 OK", "v"))) {
            String urls = String.join(",", down.url(), busy.url(), dies.url());
            assertThat(run("get", "a", "--url", urls, "--url", good.url())).isZero();
            assertThat(bytes.toString(UTF_8)).isEqualTo("v");
            assertThat(run("get", "a", "--url", urls)).isEqualTo(3);
            assertThat(err.toString())
                    .contains(down.url() + " cannot be asked", "503 Service Unavailable: x")
                    .contains("breaks off");
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
        try (PretendedNode node = new PretendedNode(_ -> "HTTP/1.1 200 OK\r\n" + rest)) {
            assertThat(run("get", "a", "--url", node.url())).isEqualTo(3);
        }
    }

    @Test
    void aValueInChunksIsWhole() throws IOException {
        String chunks = "3;x=y\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n";
        try (PretendedNode node =
                new PretendedNode(
                        _ ->
                                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"
                                        + "Transfer-Encoding: chunked\r\n\r\n"
                                        + chunks)) {
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

    @Test
    void aWriteThatANodeDiesInIsTheSameWriteOnTheNext() throws IOException {
        Register register = new Register();
        try (PretendedNode dies =
                        new PretendedNode(
                                request -> {
                                    String answer = register.take(request);
                                    return request.method().equals("HEAD") ? answer : null;
                                });
                PretendedNode good = new PretendedNode(register::take)) {
            assertThat(run("put", "a", "v", "--url", dies.url(), "--url", good.url())).isZero();
            assertThat(register.writes).hasSize(1).containsValue("v");
            assertThat(out.toString().strip()).isEqualTo(register.writes.firstKey());
            assertThat(Timestamp.parse(register.writes.firstKey()).wallMillis()).isEqualTo(NOW);
        }
    }

    @Test
    void aWriteThatANodeDiesInDoesNotHideWhatWasWrittenAfterIt() throws IOException {
        Register register = new Register();
        String later = Timestamp.of(NOW + 1, 0, 7).toString();
        try (PretendedNode dies =
                        new PretendedNode(
                                request -> {
                                    String answer = register.take(request);
                                    if (request.method().equals("HEAD")) {
                                        return answer;
                                    }
                                    register.take(
                                            new Request(
                                                    "PUT",
                                                    request.target(),
                                                    Map.of("x-quorate-version", later),
                                                    "later"));
                                    return null;
                                });
                PretendedNode good = new PretendedNode(register::take)) {
            assertThat(run("put", "a", "v", "--url", dies.url(), "--url", good.url())).isZero();
            assertThat(register.writes).hasSize(2);
            assertThat(register.writes.lastEntry().getValue()).isEqualTo("later");
        }
    }

    @Test
    void aWriteToSeveralNodesIsNewerThanWhatIsThereWhateverTheClockHere() throws IOException {
        Register register = new Register();
        String ahead = Timestamp.of(NOW + 300, 5, -1).toString();
        register.writes.put(ahead, "old");
        try (PretendedNode one = new PretendedNode(register::take);
                PretendedNode other = new PretendedNode(register::take)) {
            assertThat(run("delete", "a", "--url", one.url() + "," + other.url())).isZero();
            assertThat(register.writes.lastKey()).isGreaterThan(ahead);
            assertThat(Timestamp.parse(register.writes.lastKey()).wallMillis())
                    .isEqualTo(NOW + 300);
            assertThat(other.asked).isEmpty();
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
        try (PretendedNode refuses =
                        new PretendedNode(
                                request ->
                                        request.method().equals("HEAD")
                                                ? answer("404 Not Found", "")
                                                : answer("413 Content Too Large", "too large"));
                PretendedNode other = new PretendedNode(ClientCommandsTest::stored)) {
            assertThat(run("put", "a", "v", "--url", refuses.url() + "," + other.url()))
                    .isEqualTo(4);
            assertThat(err.toString()).contains("413 Content Too Large: too large");
            assertThat(other.asked).isEmpty();
        }
    }

    @Test
    void aRefusalOfTheReadBeforeAWriteIsReportedWithItsText() throws IOException {
        PretendedNode.Behaviour refuses =
                request ->
                        request.method().equals("HEAD")
                                ? "HTTP/1.1 400 Bad Request\r\nContent-Length: 9\r\n\r\n"
                                : answer("400 Bad Request", "no quorum");
        try (PretendedNode one = new PretendedNode(refuses);
                PretendedNode other = new PretendedNode(refuses)) {
            String urls = one.url() + "," + other.url();
            assertThat(run("put", "a", "v", "--replicas", "4/3", "--url", urls)).isEqualTo(4);
            assertThat(err.toString()).contains("400 Bad Request: no quorum");
            assertThat(one.asked).extracting(Request::method).containsExactly("HEAD", "GET");
            assertThat(other.asked).isEmpty();
        }
    }

    @Test
    void whereNoNodeIsUpNothingIsStored() {
        // A port that the system gives to nobody.
        assertThat(run("put", "a", "v", "--url", "http://127.0.0.1:1")).isEqualTo(3);
        assertThat(err.toString()).contains("cannot be reached", "Nothing was stored.");
    }

    @Test
    void aRangeIsPrintedALineForEachEntry() throws IOException {
        String lines =
                """
                {"key":"YQ==","value":"YiBj","version":"v"}
                {"key":"/w==","value":"","version":"v"}
                """;
        try (PretendedNode node = new PretendedNode(_ -> answer("200 OK", lines))) {
            String[] range = {"scan", "--start", "a b", "--limit", "2", "--url", node.url()};
            assertThat(run(range)).isZero();
            assertThat(out.toString().lines()).containsExactly("a\tb%20c", "%FF\t");
            assertThat(node.asked.getFirst().target())
                    .isEqualTo("/v0/entities?start=a%20b&limit=2");
            assertThat(node.asked.getFirst().headers())
                    .containsEntry("accept", "application/x-ndjson");
            out.getBuffer().setLength(0);
            assertThat(run("scan", "--json", "--url", node.url())).isZero();
            assertThat(out.toString()).isEqualToNormalizingNewlines(lines);
            assertThat(node.asked.getLast().target()).isEqualTo("/v0/entities?start=%00");
        }
        try (PretendedNode node = new PretendedNode(_ -> answer("200 OK", "no JSON\n"))) {
            assertThat(run("scan", "--url", node.url())).isEqualTo(3);
        }
    }

    @Test
    void aRangeThatBreaksOffGoesOnThroughTheNextNodeBehindItsLastEntry() throws IOException {
        String first = "{\"key\":\"YQ==\",\"value\":\"\",\"version\":\"v\"}\n";
        String second = first.replace("YQ==", "Yg==");
        String third = first.replace("YQ==", "Yw==");
        String chunk = Integer.toHexString(first.length()) + "\r\n";
        String head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        try (PretendedNode breaks =
                        new PretendedNode(
                                _ -> head + chunk + first + "\r\n" + chunk + second + "\r\n");
                PretendedNode good = new PretendedNode(_ -> answer("200 OK", second + third))) {
            String urls = breaks.url() + "," + good.url();
            assertThat(run("scan", "--end", "z", "--url", urls)).isZero();
            assertThat(out.toString().lines()).containsExactly("a\t", "b\t", "c\t");
            assertThat(good.asked.getLast().target()).isEqualTo("/v0/entities?start=b&end=z");
            assertThat(run("scan", "--limit", "3", "--url", urls)).isZero();
            assertThat(good.asked.getLast().target()).isEqualTo("/v0/entities?start=b&limit=2");
            int asked = good.asked.size();
            assertThat(run("scan", "--limit", "2", "--url", urls)).isZero();
            assertThat(good.asked).hasSize(asked);
            assertThat(run("scan", "--url", breaks.url())).isEqualTo(3);
            assertThat(err.toString()).contains("the answer breaks off");
            assertThat(run("scan", "--limit", "0", "--url", urls)).isEqualTo(2);
        }
        try (PretendedNode breaks =
                        new PretendedNode(
                                _ -> head + chunk + third + "\r\n" + chunk + second + "\r\n");
                PretendedNode good = new PretendedNode(_ -> answer("200 OK", first))) {
            String urls = breaks.url() + "," + good.url();
            out.getBuffer().setLength(0);
            assertThat(run("scan", "--reverse", "--end", "z", "--limit", "3", "--url", urls))
                    .isZero();
            assertThat(out.toString().lines()).containsExactly("c\t", "b\t", "a\t");
            assertThat(breaks.asked.getLast().target())
                    .isEqualTo("/v0/entities?start=%00&end=z&reverse=1&limit=3");
            assertThat(good.asked.getLast().target())
                    .isEqualTo("/v0/entities?start=%00&end=b&reverse=1&limit=1");
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
        "127.0.0.1:8080",
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
        assertThat(run("get", "%zz", "--encoded", "--url", "http://127.0.0.1:1")).isEqualTo(2);
        assertThat(run("put", "a", "--file", folder + "/none", "--url", "http://127.0.0.1:1"))
                .isEqualTo(2);
        assertThat(run("get", "a", "--data", folder.toString())).isEqualTo(3);
        assertThat(err.toString()).contains("No cluster is running in " + folder);
    }
}
