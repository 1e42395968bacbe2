package dev.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each line of a batch is retried as the same operation would be by itself. */
@Timeout(30)
final class BatchesTest {

    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Key A = Key.of("a");
    private static final Key B = Key.of("b");
    private static final byte[] VALUE = {1};
    private static final String OK = "{\"status\":201,\"version\":\"" + FakeNode.VERSION + "\"}\n";

    private static String lines(String... lines) {
        return FakeNode.answer(
                200, "Content-Type: application/x-ndjson\r\n", String.join("", lines));
    }

    private static String failed(int status) {
        return "{\"type\":\"about:blank\",\"status\":" + status + ",\"detail\":\"so it is\"}\n";
    }

    private static int count(FakeNode.Seen request) {
        return (int) request.body().lines().count();
    }

    @Test
    void eachLineHasItsOutcome() {
        FakeNode node =
                FakeNode.of(
                        lines(
                                OK,
                                "{\"status\":200,\"version\":\""
                                        + FakeNode.VERSION
                                        + "\",\"value\":\"\\u00fc\"}\n",
                                failed(404),
                                failed(413),
                                "{\"status\":412,\"detail\":\"\",\"version\":\""
                                        + FakeNode.VERSION
                                        + "\"}\n"));
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            List<BatchResult> results =
                    fakes.client.batch(
                            List.of(
                                    BatchOperation.put(A, VALUE).timeToLive(Duration.ofSeconds(9)),
                                    BatchOperation.get(B),
                                    BatchOperation.get(Key.of("c")),
                                    BatchOperation.get(Key.of("d")),
                                    BatchOperation.delete(Key.of("e"))
                                            .onlyIf(Condition.ifPresent())),
                            WriteOptions.DEFAULT.replicas(2, 3));
            assertThat(results.get(0))
                    .isEqualTo(new BatchResult.Written(new Version(FakeNode.VERSION)));
            assertThat(((BatchResult.Read) results.get(1)).entry().orElseThrow().text())
                    .isEqualTo("ü");
            assertThat(results.get(2)).isEqualTo(new BatchResult.Read(Optional.empty()));
            assertThat(((BatchResult.Failed) results.get(3)).why())
                    .isInstanceOf(RefusedException.class);
            assertThat(results.get(4)).isInstanceOf(BatchResult.Unmet.class);
            FakeNode.Seen request = fakes.seen().get(0);
            assertThat(request.target()).endsWith("&replicas=2/3");
            assertThat(request.body())
                    .startsWith(
                            "{\"op\":\"put\",\"keyBase64\":\"YQ==\",\"valueBase64\":\"AQ==\",\"ttl\":9}\n")
                    .contains("\"ifMatch\":\"*\",\"version\":\"");
        }
    }

    @Test
    void onlyWhatFailedIsSentAgain() {
        FakeNode node =
                new FakeNode(
                        (request, connection) ->
                                connection.send(
                                        count(request) == 2 ? lines(OK, failed(503)) : lines(OK)));
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            assertThat(
                            fakes.client.batch(
                                    List.of(
                                            BatchOperation.put(A, VALUE),
                                            BatchOperation.put(B, VALUE)),
                                    WriteOptions.DEFAULT))
                    .allMatch(BatchResult.Written.class::isInstance);
            assertThat(fakes.seen()).hasSize(2);
            assertThat(fakes.seen().get(1).body()).contains("Yg==").doesNotContain("YQ==");
        }
    }

    /** The first of two writes of a key would overwrite the second. */
    @Test
    void aLineIsNotSentAgainBehindALaterOneOfItsKey() {
        FakeNode node = FakeNode.of(lines(failed(503), OK));
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            List<BatchResult> results =
                    fakes.client.batch(
                            List.of(BatchOperation.put(A, VALUE), BatchOperation.put(A, VALUE)),
                            WriteOptions.DEFAULT);
            assertThat(((BatchResult.Failed) results.get(0)).why())
                    .isInstanceOf(UnavailableException.class);
            assertThat(results.get(1)).isInstanceOf(BatchResult.Written.class);
            assertThat(fakes.seen()).hasSize(1);
        }
    }

    @Test
    void whereNothingWasAttemptedTheWholeIsSentAgain() {
        FakeNode node =
                new FakeNode((request, connection) -> connection.send(FakeNode.problem(503)));
        try (Fakes fakes = new Fakes(DEADLINE, node, FakeNode.of(lines(OK, OK)))) {
            assertThat(
                            fakes.client.batch(
                                    List.of(
                                            BatchOperation.put(A, VALUE),
                                            BatchOperation.put(A, VALUE)),
                                    WriteOptions.DEFAULT))
                    .allMatch(BatchResult.Written.class::isInstance);
        }
    }

    @Test
    void withoutAnAnswerReadsAndNamedWritesAreSentAgain() {
        for (String odd : List.of("", lines(OK), lines(OK, OK, OK, OK), lines("x\n", OK, OK))) {
            FakeNode node = FakeNode.of(odd);
            try (Fakes fakes = new Fakes(Duration.ofSeconds(1), node)) {
                List<BatchResult> results =
                        fakes.client.batch(
                                List.of(
                                        BatchOperation.put(A, VALUE),
                                        BatchOperation.get(B),
                                        BatchOperation.put(Key.of("c"), VALUE)
                                                .onlyIf(Condition.ifAbsent())),
                                WriteOptions.DEFAULT);
                assertThat(((BatchResult.Failed) results.get(0)).why())
                        .isInstanceOf(OutcomeUnknownException.class);
                List<FakeNode.Seen> seen = fakes.seen();
                assertThat(seen).as(odd).hasSizeGreaterThan(1);
                assertThat(seen.subList(1, seen.size())).noneMatch(r -> r.body().contains("YQ=="));
            }
        }
    }
}
