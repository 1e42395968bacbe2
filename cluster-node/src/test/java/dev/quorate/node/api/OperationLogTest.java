package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.spi.FilterReply;
import dev.quorate.node.api.answer.OperationLog;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.Explanation.Reply;
import dev.quorate.router.coordinator.operation.Explanation.Result;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.Outcome.QuorumFailed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.token.Token;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** What is logged of operations that take long or fail, and what of a client never is. */
final class OperationLogTest extends ClientOfAnEdge {

    private static final String ID = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String GIVEN = "traceparent: 00-" + ID + "-00f067aa0ba902b7-01\r\n";
    private static final String NDJSON = "Content-Type: application/x-ndjson\r\n";
    private static final Timestamp VERSION = Timestamp.of(1_767_225_600_000L, 7, 2);

    private final Logger logger = (Logger) LoggerFactory.getLogger(OperationLog.NAME);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        edge.stopClock();
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
    }

    /** The fields of the lines so far, each line as {@code name=value ...}. */
    private List<String> logged() {
        return lines.list.stream()
                .map(
                        event ->
                                event.getFormattedMessage()
                                        + event.getKeyValuePairs().stream()
                                                .map(pair -> " " + pair.key + "=" + pair.value)
                                                .collect(Collectors.joining()))
                .toList();
    }

    private static Explanation explanation() {
        return new Explanation(
                List.of("2 of 3 have \"stored\" it"),
                List.of(
                        new Round(
                                Purpose.WRITE,
                                VERSION,
                                List.of(
                                        new Reply("n1", new Result.Stored(VERSION), 1_250),
                                        new Reply(
                                                "n2", new Result.Stored(VERSION), 811_900, 640_000),
                                        new Reply(
                                                "n3",
                                                new Result.Failed(Failure.TIMEOUT, "a\nb\u0007"),
                                                1_000_007)))));
    }

    private void takesMillis(long millis) {
        edge.operations.before = () -> edge.advance(millis);
    }

    @Test
    void aQuickOperationIsNotLogged() throws IOException {
        takesMillis(499);
        edge.operations.explanation = explanation();
        assertThat(put("a", "b").status()).isEqualTo(201);
        assertThat(ask("GET", "/v0/entity?id=a").status()).isEqualTo(200);
        assertThat(logged()).isEmpty();
    }

    @Test
    void aSlowOneIsLoggedWithItsExplanation() throws IOException {
        takesMillis(500);
        edge.operations.explanation = explanation();
        Answer answer = ask("PUT", "/v0/entity?id=secret-name&replicas=2/3", GIVEN, "value");
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.headers()).doesNotContainKeys("x-quorate-explain", "x-quorate-trace");
        assertThat(logged())
                .containsExactly(
                        "An operation took long op=put status=201 millis=500 replicas=2/3 token="
                                + Token.ofKey("secret-name".getBytes(StandardCharsets.US_ASCII))
                                + " bytes=5 trace="
                                + ID
                                + " explanation=2 of 3 have 'stored' it"
                                + " | n1; answer=stored; version="
                                + VERSION
                                + "; millis=1.250 | n2; answer=stored; version="
                                + VERSION
                                + "; millis=811.900; queued=640.000"
                                + " | n3; answer=failed; reason=timeout; detail=a?b?;"
                                + " millis=1000.007");
        assertThat(edge.slow).containsExactly("PUT true");
    }

    /** As with SLF4J 1.7 in the class path of who embeds a cluster. */
    @Test
    void anErrorOfTheLoggingLibraryReachesNobody() throws IOException {
        takesMillis(500);
        TurboFilter missing =
                new TurboFilter() {
                    @Override
                    public FilterReply decide(
                            Marker marker,
                            Logger from,
                            Level level,
                            String format,
                            Object[] params,
                            Throwable cause) {
                        if (from == logger) {
                            throw new NoSuchMethodError("atWarn");
                        }
                        return FilterReply.NEUTRAL;
                    }
                };
        logger.getLoggerContext().addTurboFilter(missing);
        try {
            assertThat(put("a", "b").status()).isEqualTo(201);
        } finally {
            logger.getLoggerContext().getTurboFilterList().remove(missing);
        }
        assertThat(edge.slow).containsExactly("PUT false");
    }

    @Test
    void theTraceReachesTheReplicasAndTheExplanation() throws IOException {
        edge.operations.explanation = explanation();
        assertThat(ask("GET", "/v0/entity?id=a&explain=1", GIVEN, "").header("x-quorate-trace"))
                .isEqualTo(ID);
        assertThat(edge.operations.traces).containsExactly(ID);
        String made = ask("GET", "/v0/entity?id=a&explain=1").header("x-quorate-trace");
        assertThat(made).matches("[0-9a-f]{32}");
        assertThat(edge.operations.traces).containsExactly(ID, made);
        ask("GET", "/v0/entity?id=a");
        assertThat(edge.operations.traces).containsExactly(ID, made, "none");
    }

    @Test
    void aFailureIsLoggedUnderTheIdThatItsAnswerHas() throws IOException {
        edge.operations.forced = new QuorumFailed(VERSION, List.of(), List.of(), explanation());
        Answer answer = put("a", "b");
        assertThat(answer.status()).isEqualTo(504);
        String id = answer.text().replaceAll("(?s).*\"trace\":\"([0-9a-f]{32})\".*", "$1");
        assertThat(logged()).hasSize(1);
        assertThat(logged().getFirst())
                .startsWith("An operation failed op=put status=504 millis=0")
                .contains("trace=" + id + " ", "reason=timeout");
        assertThat(ask("PUT", "/v0/entity?id=a", GIVEN, "b").text())
                .contains("\"trace\":\"" + ID + "\"");
        edge.operations.forced = new Outcome.Undecided(VERSION, List.of(), Explanation.NONE);
        assertThat(ask("PUT", "/v0/entity?id=a", GIVEN + "If-None-Match: *\r\n", "b").text())
                .contains("\"trace\":\"" + ID + "\"");
    }

    @Test
    void aBatchHasOneTraceForAllItsLines() throws IOException {
        takesMillis(500);
        edge.operations.explanation = explanation();
        String lines =
                "{\"op\":\"put\",\"key\":\"a\",\"value\":\"xyz\"}\n{\"op\":\"get\",\"key\":\"b\"}\n";
        Answer answer = ask("POST", "/v0/entities?replicas=2/3", GIVEN + NDJSON, lines);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(edge.operations.traces).containsExactly(ID, ID);
        assertThat(logged()).hasSize(2);
        assertThat(logged().getFirst())
                .startsWith("An operation took long op=put status=201 millis=500 replicas=2/3")
                .contains(" bytes=3 trace=" + ID + " explanation=2 of 3 have");
        assertThat(edge.slow).containsExactly("PUT true", "GET true");
    }

    @Test
    void aFailedLineOfABatchIsLoggedUnderTheIdThatItsAnswerHas() throws IOException {
        edge.operations.forced = new QuorumFailed(VERSION, List.of(), List.of(), explanation());
        String line = "{\"op\":\"delete\",\"key\":\"a\"}\n";
        String text = ask("POST", "/v0/entities", NDJSON, line).text();
        String id = text.replaceAll("(?s).*\"trace\":\"([0-9a-f]{32})\".*", "$1");
        assertThat(id).hasSize(32);
        assertThat(logged()).hasSize(1);
        assertThat(logged().getFirst())
                .startsWith("An operation failed op=delete status=504 millis=0")
                .contains("trace=" + id + " ", "reason=timeout");
        // The lines of a batch have no explanations.
        assertThat(text).contains("\"explanation\":{\"reasons\":[],\"replicas\":[]}");
    }

    @Test
    void aRangeIsTracedAndItsFailureLoggedHoweverLate() throws IOException {
        edge.operations.scanFailure = new QuorumFailed(null, List.of(), List.of(), explanation());
        edge.operations.batchesUntilFailure = 0;
        Answer answer = ask("GET", "/v0/entities?start=a&replicas=2/3", GIVEN, "");
        assertThat(answer.status()).isEqualTo(504);
        assertThat(answer.text()).contains("\"trace\":\"" + ID + "\"");
        assertThat(edge.operations.traces).containsExactly(ID);
        assertThat(logged()).hasSize(1);
        assertThat(logged().getFirst())
                .startsWith("An operation failed op=scan status=504 millis=0 replicas=2/3 trace=")
                .contains(ID, "reason=timeout")
                .doesNotContain("token=");

        Answer untraced = ask("GET", "/v0/entities?start=a");
        String id = untraced.text().replaceAll("(?s).*\"trace\":\"([0-9a-f]{32})\".*", "$1");
        assertThat(logged().getLast()).contains("trace=" + id + " ");
        assertThat(edge.operations.traces).containsExactly(ID, "none");
    }

    /** Bytes that the parser of HTTP lets through in a header. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "00-" + ID + "-00f067aa0ba902b7-01\t",
                "00-" + ID + "-00f067aa0ba902b7-01, 00-" + ID + "-00f067aa0ba902b7-01",
                "00-" + ID + "-00f067aa0ba902b7-01-${jndi:ldap://evil}",
                "\u00e9vil\u0085\u009b31m",
                "x${env:SECRET} %n%msg",
                ""
            })
    void nothingOfAMalformedOneIsKept(String text) throws IOException {
        takesMillis(500);
        edge.operations.explanation = explanation();
        Answer answer = ask("PUT", "/v0/entity?id=a", "traceparent: " + text + "\r\n", "b");
        assertThat(answer.status()).isEqualTo(201);
        boolean isTrimmed = text.endsWith("\t");
        assertThat(edge.operations.traces).containsExactly(isTrimmed ? ID : "none");
        assertThat(logged()).hasSize(1);
        if (!isTrimmed) {
            assertThat(logged().getFirst()).doesNotContain("trace=", "evil", "env", "\u00e9");
        }
    }

    @Test
    void aRangeThatIsCutOffForWantOfMemorySaysSo() throws IOException {
        HttpLimits limits = HttpLimits.defaults().withBudgets(16 << 20, 2 << 20);
        try (Edge small = Edge.start(limits);
                RawClient client = new RawClient(small.listener.port())) {
            byte[] key = {'a'};
            small.operations.entries.put(key, Entry.value(key, VERSION, new byte[4 << 20], 3));
            client.send("GET /v0/entities?start=a HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThatThrownBy(client::read).isInstanceOf(IOException.class);
            await().until(() -> small.observed.contains("SCAN 504"));
        }
        assertThat(logged()).hasSize(1);
        assertThat(logged().getFirst())
                .contains("op=scan status=504", "not enough memory for the answer");
    }

    @Test
    void twoOfThemAreNone() throws IOException {
        assertThat(ask("PUT", "/v0/entity?id=a", GIVEN + GIVEN, "b").status()).isEqualTo(201);
        assertThat(edge.operations.traces).containsExactly("none");
    }

    @Test
    void oneOfTenKilobytesIsIgnored() throws IOException {
        String long_ = "traceparent: " + "00-".repeat(2_500) + "\r\n";
        assertThat(ask("PUT", "/v0/entity?id=a", long_, "b").status()).isIn(201, 431);
        assertThat(edge.operations.traces).isSubsetOf("none");
    }

    @Test
    void linesAreFewHoweverManyAreSlow() throws IOException {
        edge.operations.forced = new QuorumFailed(null, List.of(), List.of(), explanation());
        for (int i = 0; i < 25; i++) {
            ask("GET", "/v0/entity?id=a");
        }
        assertThat(logged()).hasSize(OperationLog.LINES_PER_SECOND);
        assertThat(edge.slow).hasSize(25).contains("GET true", "GET false");
        edge.advance(1_000);
        ask("GET", "/v0/entity?id=a");
        assertThat(logged()).hasSize(OperationLog.LINES_PER_SECOND + 1);
        assertThat(logged().getLast()).contains(" omitted=15 ");
    }
}
