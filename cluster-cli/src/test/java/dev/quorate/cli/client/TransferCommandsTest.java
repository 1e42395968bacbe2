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
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TransferCommandsTest {

    private static final long NOW = 1_800_000_000_000L;
    private static final String V = Timestamp.of(NOW - 10_000, 0, 1).toString();
    private static final String OLD = Timestamp.of(NOW - 100_000_000, 0, 1).toString();

    @TempDir private Path folder;
    private final StringWriter err = new StringWriter();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private long nanos;
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
                        nanos += 600_000_000;
                        return nanos;
                    }
                };
        CommandLine commandLine =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        new ClientCommands(
                        ticker,
                        new ByteArrayInputStream(typed.getBytes(UTF_8)),
                        bytes,
                        () -> false,
                        Map.of())
                .addTo(commandLine);
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private static String line(String key, String version, String more) {
        return "{\"key\":\""
                + base64(key)
                + "\",\"value\":\""
                + base64("value of " + key)
                + "\""
                + more
                + ",\"version\":\""
                + version
                + "\"}\n";
    }

    private static String line(String key) {
        return line(key, V, "");
    }

    private static String chunked(String body, boolean isWhole) {
        return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + Integer.toHexString(body.length())
                + "\r\n"
                + body
                + (isWhole ? "\r\n0\r\n\r\n" : "");
    }

    /**
     * A node with the keys k1 to k9, in pages.
     *
     * @param brokenPages number of pages whose last one breaks off; 0 for none
     */
    private static PretendedNode nodeWith(int pageEntries, int brokenPages) throws IOException {
        AtomicInteger pages = new AtomicInteger();
        return new PretendedNode(
                request -> {
                    String cursor = request.target().replaceAll(".*&cursor=", "");
                    String start = request.target().replaceAll(".*&start=k([1-9]).*", "$1");
                    int first =
                            !cursor.isEmpty()
                                    ? Integer.parseInt(cursor)
                                    : start.length() == 1 ? Integer.parseInt(start) : 1;
                    int last = Math.min(9, first + pageEntries - 1);
                    String lines =
                            IntStream.rangeClosed(first, last)
                                    .mapToObj(i -> line("k" + i))
                                    .collect(Collectors.joining());
                    boolean breaksOff =
                            brokenPages > 0 && pages.incrementAndGet() % brokenPages == 0;
                    String end = last == 9 ? "" : "{\"cursor\":\"" + (last + 1) + "\"}\n";
                    return chunked(breaksOff ? lines + "{\"key\":\"azk" : lines + end, !breaksOff);
                });
    }

    private static String all() {
        return IntStream.rangeClosed(1, 9)
                .mapToObj(i -> line("k" + i))
                .collect(Collectors.joining());
    }

    private static final String WHOLE = all() + "{\"entries\":9}\n";

    @Test
    void aPageThatBreaksOffIsReadAgain() throws IOException {
        try (PretendedNode first = nodeWith(2, 2);
                PretendedNode busy =
                        new PretendedNode(_ -> answer("503 Service Unavailable", "x"))) {
            String urls = first.url() + "," + busy.url();
            assertThat(run("export", "--url", urls)).as(err.toString()).isZero();
            assertThat(bytes.toString(UTF_8)).isEqualTo(WHOLE);
            assertThat(err.toString()).isEqualToIgnoringNewLines("9 entries exported.");
        }
    }

    @Test
    void nodesThatSendNothingMoreEndIt() throws IOException {
        try (PretendedNode stuck =
                new PretendedNode(_ -> chunked(line("k1") + line("k2"), false))) {
            assertThat(run("export", "--url", stuck.url())).isEqualTo(3);
            assertThat(bytes.size()).isZero();
            assertThat(err.toString()).contains("did not answer");
            assertThat(stuck.asked).hasSizeLessThan(10);
        }
        try (PretendedNode refuses = new PretendedNode(_ -> answer("400 Bad Request", "no"))) {
            assertThat(run("export", "--url", refuses.url())).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\n",
                "{\"key\":\"YQ==\",\"version\":\"x\"}\n",
                "{\"key\":\"YQ==\",\"value\":\"\",\"version\":\"x\"",
                "{\"entries\":0}\n",
                "{\"key\":\"Y\\nQ==\",\"value\":\"\",\"version\":\"x\"}\n"
            })
    void aNodeThatSendsSomethingElseIsNotPrinted(String line) throws IOException {
        try (PretendedNode node = new PretendedNode(_ -> chunked(line, true))) {
            assertThat(run("export", "--url", node.url())).isEqualTo(3);
            assertThat(bytes.size()).isZero();
        }
    }

    @Test
    void anExportThatWasCutOffAnywhereIsResumed() throws IOException {
        Path file = folder.resolve("file");
        try (PretendedNode node = nodeWith(5, 0)) {
            for (int cut = 0; cut <= WHOLE.length(); cut += 7) {
                Files.writeString(file, WHOLE.substring(0, cut));
                String[] resume = {"export", "--resume", "--file", "" + file, "--url", node.url()};
                assertThat(run(resume)).as(err.toString()).isZero();
                assertThat(Files.readString(file)).isEqualTo(WHOLE);
            }
            assertThat(run("export", "--file", "" + file, "--url", node.url())).isEqualTo(2);
            assertThat(err.toString()).contains("--resume continues it");
            assertThat(Files.readString(file)).isEqualTo(WHOLE);
            assertThat(run("export", "--resume", "--url", node.url())).isEqualTo(2);
            Files.writeString(file, line("k1"));
            assertThat(
                            run(
                                    "export",
                                    "--prefix",
                                    "x",
                                    "--resume",
                                    "--file",
                                    "" + file,
                                    "--url",
                                    node.url()))
                    .isEqualTo(2);
            for (String other : List.of("a user's text\nand more", "{\"a user's\":1}\nand", "x")) {
                Files.writeString(file, other);
                assertThat(run("export", "--resume", "--file", "" + file, "--url", node.url()))
                        .isEqualTo(2);
                assertThat(Files.readString(file)).isEqualTo(other);
            }
        }
    }

    @Test
    void aFailureLeavesTheFileToBeResumed() throws IOException {
        Path file = folder.resolve("file");
        try (PretendedNode stuck =
                new PretendedNode(
                        request ->
                                request.target().endsWith("=")
                                        ? chunked(line("k1") + "{\"cursor\":\"c\"}\n", true)
                                        : chunked("{\"k", false))) {
            assertThat(run("export", "--file", "" + file, "--url", stuck.url())).isEqualTo(3);
            assertThat(Files.readString(file)).isEqualTo(line("k1"));
            assertThat(err.toString()).contains("--resume continues the file.");
        }
    }

    @Test
    void aPrefixIsARange() throws IOException {
        try (PretendedNode node = new PretendedNode(_ -> chunked("", true))) {
            run("export", "--prefix", "a b", "--replicas", "1/3", "--url", node.url());
            run("export", "--prefix", "a%FF%ff", "--encoded", "--url", node.url());
            run("export", "--prefix", "%FF", "--encoded", "--url", node.url());
            assertThat(node.asked.stream().map(Request::target).toList())
                    .containsExactly(
                            "/v0/entities?limit=256&prefix=a%20b&replicas=1/3&cursor=",
                            "/v0/entities?limit=256&prefix=a%FF%FF&cursor=",
                            "/v0/entities?limit=256&prefix=%FF&cursor=");
            assertThat(bytes.toString(UTF_8)).isEqualTo("{\"entries\":0}\n".repeat(3));
        }
    }

    // ---- import

    /** Answers each line of a batch. */
    private static PretendedNode node(java.util.function.Function<String, String> ofLine)
            throws IOException {
        return new PretendedNode(
                request ->
                        answer(
                                "200 OK",
                                request.body()
                                        .lines()
                                        .map(line -> ofLine.apply(line) + "\n")
                                        .collect(Collectors.joining())));
    }

    private static String status(int status) {
        return "{\"status\":" + status + ",\"version\":\"" + V + "\"}";
    }

    private static String problem(int status, String detail) {
        return "{\"type\":\"about:blank\",\"title\":\"x\",\"status\":"
                + status
                + ",\"detail\":\""
                + detail
                + "\"}";
    }

    @Test
    void entriesAreStoredWithTheirVersionsExpiriesAndTypes() throws IOException {
        long version = Timestamp.parse(V).wallMillis();
        typed =
                line("a")
                        + line("b", V, ",\"expires\":" + (version + 60_000))
                        + line("c", V, ",\"contentType\":\"a/b;c=\\\"d\\\\\\\\\\\"\"")
                        + line("d", V, ",\"expires\":" + (version + 1_000))
                        + line("e", V, ",\"expires\":" + (version + 60_001))
                        + line("f", V + "-fffffffffffffff0", "")
                        + "{\"entries\":6}\n";
        try (PretendedNode node = node(line -> status(line.contains("ZQ==") ? 412 : 201))) {
            assertThat(run("import", "--replicas", "2/3", "--url", node.url()))
                    .as(err.toString())
                    .isZero();
            Request request = node.asked.getFirst();
            assertThat(request.target()).isEqualTo("/v0/entities?consistency=quorum&replicas=2/3");
            String put = "{\"op\":\"put\",\"keyBase64\":\"%s\",\"valueBase64\":\"%s\"%s}";
            String given = ",\"version\":\"" + V + "\"";
            // A version that the client has chosen is left out.
            assertThat(
                            request.body()
                                    .lines()
                                    .map(
                                            line ->
                                                    line.contains(V)
                                                            ? line
                                                            : line.replaceAll(
                                                                    ",\"version\":\"[^\"]*\"", "")))
                    .containsExactly(
                            put.formatted(base64("a"), base64("value of a"), given),
                            put.formatted(base64("b"), base64("value of b"), ",\"ttl\":60" + given),
                            put.formatted(
                                    base64("c"),
                                    base64("value of c"),
                                    ",\"contentType\":\"a/b;c=\\\"d\\\\\\\\\\\"\"" + given),
                            put.formatted(
                                    base64("e"),
                                    base64("value of e"),
                                    ",\"ttl\":51,\"ifNoneMatch\":\"*\""),
                            put.formatted(
                                    base64("f"), base64("value of f"), ",\"ifNoneMatch\":\"*\""));
            assertThat(err.toString())
                    .contains(
                            "4 entries stored, 1 omitted because their key has a value, 1 because");
        }
    }

    @Test
    void whatIsTooOldIsStoredIfItsKeyHasNoValue() throws IOException {
        typed = line("a", OLD, "") + line("b") + "{\"entries\":2}\n";
        try (PretendedNode node =
                node(
                        line ->
                                line.contains(OLD)
                                        ? problem(409, "The version is too old to be written")
                                        : status(201))) {
            assertThat(run("import", "--url", node.url())).isZero();
            assertThat(node.asked).hasSize(2);
            assertThat(node.asked.get(1).body().lines().toList())
                    .singleElement()
                    .asString()
                    .contains(base64("a"), "\"ifNoneMatch\":\"*\"")
                    .doesNotContain(OLD);
        }
    }

    @Test
    void whatIsNotStoredIsSentAgainToTheNextNode() throws IOException {
        typed = all() + "{\"entries\":9}\n";
        PretendedNode down = new PretendedNode(_ -> null);
        down.close();
        AtomicInteger busy = new AtomicInteger(4);
        try (PretendedNode dies = new PretendedNode(_ -> null);
                PretendedNode node =
                        node(line -> status(busy.decrementAndGet() >= 0 ? 503 : 201))) {
            String urls = String.join(",", down.url(), dies.url(), node.url());
            assertThat(run("import", "--url", urls)).as(err.toString()).isZero();
            assertThat(node.asked.get(1).body().lines()).hasSize(4);
            assertThat(err.toString()).contains("9 entries stored");
        }
    }

    @Test
    void whereNoNodeTakesItTheLineIsNamed() throws IOException {
        typed = all() + "{\"entries\":9}\n";
        try (PretendedNode node = node(line -> status(line.contains(base64("k5")) ? 504 : 201))) {
            assertThat(run("import", "--timeout", "1", "--url", node.url())).isEqualTo(3);
            assertThat(err.toString()).contains("Line 5 ", "--skip 4 continues");
            node.asked.clear();
            run("import", "--skip", "5", "--timeout", "1", "--url", node.url());
            assertThat(node.asked.getFirst().body().lines()).hasSize(4);
        }
    }

    @Test
    void aRefusalEndsIt() throws IOException {
        typed = all() + "{\"entries\":9}\n";
        try (PretendedNode node =
                node(line -> line.contains(base64("k3")) ? problem(413, "long") : status(201))) {
            assertThat(run("import", "--url", node.url())).isEqualTo(4);
            assertThat(err.toString()).contains("Line 3 is refused", "--skip 2");
        }
        try (PretendedNode node = new PretendedNode(_ -> answer("415 What", "why"))) {
            assertThat(run("import", "--url", node.url())).isEqualTo(4);
        }
        try (PretendedNode node =
                node(line -> problem(409, "Another write has this version: another value"))) {
            assertThat(run("import", "--url", node.url())).isEqualTo(4);
            assertThat(err.toString()).contains("9 omitted because another write");
        }
        try (PretendedNode node = node(line -> problem(409, "ahead of this node's clock"))) {
            assertThat(run("import", "--url", node.url())).isEqualTo(4);
        }
    }

    @Test
    void aFileWithoutItsEndIsImportedAndReported() throws IOException {
        typed = line("a");
        try (PretendedNode node = node(line -> status(201))) {
            assertThat(run("import", "--url", node.url())).isEqualTo(1);
            assertThat(err.toString()).contains("1 entries stored", "no last line");
            typed = line("a") + "{\"entries\":2}\n";
            assertThat(run("import", "--url", node.url())).isEqualTo(2);
            typed = "{\"entries\":0}\n" + line("a");
            assertThat(run("import", "--url", node.url())).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[]",
                "{\"key\":\"YQ==\"}",
                "{\"key\":\"YQ\",\"value\":\"Y\",\"version\":\"01a1ffa680e10000-36c6c909\"}",
                "{\"key\":\"YQ==\",\"value\":\"\",\"version\":\"x\"}",
                "{\"key\":\"YQ==\",\"key\":\"YQ==\",\"value\":\"\",\"version\":\"x\"}",
                "{\"key\":\"YQ==\",\"value\":\"\",\"version\":\"01a1ffa680e10000-36c6c909\"}x",
                "{\"key\":\"YQ==\",\"value\":\"\",\"version\":\"01a1ffa680e10000-36c6c909\",}",
                "{\"key\":\"YQ==\",\"value\":\"\\",
                "{\"key\":\"YQ==\",\"value\":\"",
                "{\"key\":\"YQ==\",\"value\":\"\",\"version\":\"01a1ffa680e10000-36c6c909\","
                        + "\"contentType\":\"a/b\\nc\"}",
                "{\"key\":\"YQ==\",\"value\":\"\",\"version\":\"01a1ffa680e10000-36c6c909\","
                        + "\"expires\":1234567890123456789}",
                "{\"key\":\"YQ==\",\"value\":\"\",\"version\":\"01a1ffa680e10000-36c6c909\","
                        + "\"expires\":-1}",
                "{\"cursor\":\"abc\"}"
            })
    void aLineThatIsNoneEndsItBehindTheEntriesBefore(String line) throws IOException {
        typed = line("a") + line + "\n" + line("b");
        try (PretendedNode node = node(each -> status(201))) {
            assertThat(run("import", "--url", node.url())).isEqualTo(2);
            assertThat(err.toString()).contains("Line 2 is not imported", "--skip 1 ");
            assertThat(node.asked).hasSize(1);
            assertThat(node.asked.getFirst().body().lines()).hasSize(1);
        }
    }

    @Test
    void largeValuesAreSentByThemselves() throws IOException {
        String large = "x".repeat(800_000);
        String larger = "y".repeat(1_100_000);
        typed =
                line("a")
                        + line("b").replace(base64("value of b"), base64(large))
                        + line("c", OLD, ",\"contentType\":\"a/b\"")
                                .replace(base64("value of c"), base64(large))
                        + line("d", OLD, "").replace(base64("value of d"), base64(larger))
                        + line("e", OLD, "").replace(base64("value of e"), base64(larger))
                        + "{\"entries\":5}\n";
        PretendedNode.Behaviour behaviour =
                request -> {
                    if (request.method().equals("POST")) {
                        return answer("200 OK", status(201) + "\n");
                    }
                    if (request.method().equals("GET")) {
                        return request.target().endsWith("=d")
                                ? answer("404 Not Found", "")
                                : answer("200 OK", "", "X-Quorate-Version: " + V);
                    }
                    return OLD.equals(request.headers().get("x-quorate-version"))
                            ? answer("409 Conflict", "The version is too old to be written")
                            : answer("201 Created", "", "X-Quorate-Version: " + V);
                };
        try (PretendedNode node = new PretendedNode(behaviour)) {
            assertThat(run("import", "--url", node.url())).as(err.toString()).isZero();
            List<String> asked =
                    node.asked.stream()
                            .map(
                                    request ->
                                            request.method()
                                                    + " "
                                                    + request.target().replaceAll(".*=", "")
                                                    + " "
                                                    + request.headers().containsKey("if-none-match")
                                                    + " "
                                                    + request.headers().get("content-type"))
                            .toList();
            assertThat(asked)
                    .as("d and e perhaps once more, before it is known what is too old")
                    .contains(
                            "POST quorum false application/x-ndjson",
                            "PUT b false null",
                            "PUT c false a/b",
                            "PUT c true a/b",
                            "GET d false null",
                            "PUT d false null",
                            "GET e false null");
            assertThat(err.toString()).contains("4 entries stored, 1 omitted");
        }
    }

    @Test
    void batchesAreBounded() throws IOException {
        typed =
                IntStream.range(0, 1_300)
                                .mapToObj(i -> line("k" + i).replace("}\n", "}\n"))
                                .collect(Collectors.joining())
                        + "{\"entries\":1300}\n";
        try (PretendedNode node = node(line -> status(201))) {
            assertThat(run("import", "--url", node.url())).isZero();
            assertThat(node.asked.stream().map(each -> each.body().lines().count()).toList())
                    .containsExactlyInAnyOrder(512L, 512L, 276L);
        }
    }

    private static String lines(int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(i -> line("k%05d".formatted(i)))
                .collect(Collectors.joining());
    }

    /** Of the second batch one line is never stored; the others are, before and behind it. */
    @Test
    void aFailureInOneOfSeveralBatchesLeavesTheRightPlaceToGoOnFrom() throws IOException {
        String bad = base64("k00700");
        Set<String> storedKeys = ConcurrentHashMap.newKeySet();
        UnaryOperator<String> storing =
                line -> {
                    storedKeys.add(line.replaceAll(".*keyBase64\":\"([^\"]*)\".*", "$1"));
                    return status(201);
                };
        typed = lines(1, 20_000) + "{\"entries\":20000}\n";
        try (PretendedNode one =
                        node(line -> line.contains(bad) ? status(504) : storing.apply(line));
                PretendedNode other =
                        node(line -> line.contains(bad) ? status(503) : storing.apply(line))) {
            assertThat(run("import", "--timeout", "1", "--url", one.url() + "," + other.url()))
                    .isEqualTo(3);
            assertThat(err.toString())
                    .contains("Line 700 is possibly not stored.")
                    .contains("--skip 699 continues with this line.");
            for (int i = 1; i < 700; i++) {
                assertThat(storedKeys).contains(base64("k%05d".formatted(i)));
            }
            assertThat(storedKeys).as("nothing begins after a failure").hasSizeLessThan(20_000);
        }
        try (PretendedNode good = node(storing)) {
            assertThat(run("import", "--skip", "699", "--url", good.url())).isZero();
            assertThat(storedKeys).hasSize(20_000);
            assertThat(err.toString()).contains("19301 entries stored");
        }
    }

    /** The answer with the lower line counts, whichever comes first. */
    @Test
    void ofSeveralFailuresTheFirstLineIsNamed() throws IOException {
        CountDownLatch laterIsRefused = new CountDownLatch(1);
        typed = lines(1, 1_500) + "{\"entries\":1500}\n";
        PretendedNode.Behaviour slow =
                request -> {
                    if (request.body().contains(base64("k00001"))) {
                        await(laterIsRefused);
                    }
                    String answers =
                            request.body()
                                    .lines()
                                    .map(
                                            line ->
                                                    line.contains(base64("k00300"))
                                                                    || line.contains(
                                                                            base64("k00900"))
                                                            ? problem(413, "long") + "\n"
                                                            : status(201) + "\n")
                                    .collect(Collectors.joining());
                    if (request.body().contains(base64("k00900"))) {
                        laterIsRefused.countDown();
                    }
                    return answer("200 OK", answers);
                };
        try (PretendedNode one = new PretendedNode(slow);
                PretendedNode other = new PretendedNode(slow)) {
            assertThat(run("import", "--url", one.url() + "," + other.url())).isEqualTo(4);
            assertThat(err.toString()).contains("Line 300 is refused", "--skip 299 continues");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Before it was "refused", though lines before it were to be sent again. */
    @Test
    void whatIsBeforeARefusedLineIsStoredFirst() throws IOException {
        typed = all() + "{\"entries\":9}\n";
        AtomicInteger busy = new AtomicInteger(2);
        try (PretendedNode node =
                node(
                        line ->
                                line.contains(base64("k5"))
                                        ? problem(413, "long")
                                        : line.contains(base64("k2")) && busy.decrementAndGet() >= 0
                                                ? status(503)
                                                : status(201))) {
            assertThat(run("import", "--url", node.url())).isEqualTo(4);
            assertThat(err.toString()).contains("Line 5 is refused", "--skip 4");
            assertThat(node.asked).hasSize(3);
            assertThat(node.asked.get(2).body().lines())
                    .singleElement()
                    .asString()
                    .contains(base64("k2"));
        }
    }

    /** A token that has taken its share waits. */
    @Test
    void tooManyRequestsIsNoRefusal() throws IOException {
        typed = all() + "{\"entries\":9}\n";
        AtomicInteger busy = new AtomicInteger(2);
        try (PretendedNode node =
                new PretendedNode(
                        request ->
                                busy.decrementAndGet() >= 0
                                        ? answer("429 Too Many Requests", "", "Retry-After: 1")
                                        : answer("200 OK", (status(201) + "\n").repeat(9)))) {
            assertThat(run("import", "--url", node.url())).as(err.toString()).isZero();
            assertThat(err.toString()).contains("9 entries stored");
        }
    }
}
