package dev.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads go on at other nodes, and end in time whatever a server sends. */
@Timeout(30)
final class ReadsTest {

    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private static FakeNode good() {
        return FakeNode.of(FakeNode.value("hello"));
    }

    @Test
    void aValueAndItsAbsence() {
        try (Fakes fakes = new Fakes(DEADLINE, good())) {
            Entry entry =
                    fakes.client
                            .get(
                                    Key.of(new byte[] {(byte) 0xFF, ' ', 'a'}),
                                    ReadOptions.DEFAULT.replicas(1, 2).linearizable())
                            .orElseThrow();
            assertThat(entry.text()).isEqualTo("hello");
            assertThat(entry.version().text()).isEqualTo(FakeNode.VERSION);
            assertThat(fakes.seen().get(0).target())
                    .isEqualTo("/v0/entity?id=%FF%20a&replicas=1/2&consistency=linearizable");
        }
        try (Fakes fakes = new Fakes(DEADLINE, FakeNode.of(FakeNode.problem(404)))) {
            assertThat(fakes.client.get("k")).isEmpty();
        }
    }

    @Test
    void aWaitGoesOnAtAnotherNodeIfOneVanishes() {
        FakeNode silent = new FakeNode((request, connection) -> connection.awaitClose());
        try (Fakes fakes = new Fakes(DEADLINE, silent, good())) {
            for (int i = 0; i < 6; i++) {
                assertThat(fakes.client.await("k", null, Duration.ofMillis(200)).isChanged())
                        .isTrue();
            }
            assertThat(fakes.nodes.get(0).seen()).isNotEmpty();
        }
    }

    @Test
    void whateverANodeSendsTheNextOneIsAsked() {
        for (String odd :
                List.of(
                        "",
                        "garbage",
                        "HTTP/1.1 200 x\r\nContent-Length: 100\r\n\r\nshort",
                        "HTTP/1.1 200 x\r\nContent-Length: -1\r\n\r\n",
                        FakeNode.answer(200, "", "without a version"),
                        FakeNode.answer(200, "X-Quorate-Version: x\r\n", "with a bad one"),
                        FakeNode.answer(404, "", "another server's page"),
                        FakeNode.answer(403, "", "a proxy's"),
                        FakeNode.answer(301, "Location: http://127.0.0.1:1/\r\n", ""),
                        FakeNode.answer(204, "", ""),
                        FakeNode.problem(500),
                        FakeNode.problem(503, "Retry-After: 999999999999\r\n"),
                        FakeNode.problem(504))) {
            try (Fakes fakes = new Fakes(DEADLINE, FakeNode.of(odd), good())) {
                for (int i = 0; i < 4; i++) {
                    assertThat(fakes.client.get("k").orElseThrow().text())
                            .as(odd)
                            .isEqualTo("hello");
                }
            }
            try (Fakes fakes = new Fakes(Duration.ofMillis(200), FakeNode.of(odd))) {
                assertThatThrownBy(() -> fakes.client.get("k"))
                        .as(odd)
                        .isInstanceOf(UnavailableException.class);
            }
        }
    }

    @Test
    void nothingLastsLongerThanTheDeadline() throws Exception {
        CountDownLatch closed = new CountDownLatch(3);
        FakeNode slowHead =
                new FakeNode(
                        (request, connection) -> {
                            connection.send("HTTP/1.1 200 x\r\n");
                            connection.awaitClose();
                            closed.countDown();
                        });
        FakeNode slowBody =
                new FakeNode(
                        (request, connection) -> {
                            connection.send(
                                    "HTTP/1.1 200 x\r\nContent-Length: 1000000\r\n"
                                            + "X-Quorate-Version: "
                                            + FakeNode.VERSION
                                            + "\r\n\r\nx");
                            connection.awaitClose();
                            closed.countDown();
                        });
        FakeNode silent =
                new FakeNode(
                        (request, connection) -> {
                            connection.awaitClose();
                            closed.countDown();
                        });
        for (FakeNode node : List.of(slowHead, slowBody, silent)) {
            try (Fakes fakes = new Fakes(Duration.ofMillis(700), node)) {
                long begun = System.nanoTime();
                assertThatThrownBy(() -> fakes.client.get("k"))
                        .isInstanceOf(UnavailableException.class)
                        .hasMessageContaining("no answer in time");
                assertThat(Duration.ofNanos(System.nanoTime() - begun))
                        .isLessThan(Duration.ofSeconds(3));
            }
        }
        assertThat(closed.await(5, TimeUnit.SECONDS)).as("connections are closed").isTrue();
    }

    @Test
    void anAnswerThatIsTooLargeIsNotReadToItsEnd() {
        FakeNode endless =
                new FakeNode(
                        (request, connection) -> {
                            connection.send(
                                    "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n"
                                            + "X-Quorate-Version: "
                                            + FakeNode.VERSION
                                            + "\r\n\r\n");
                            String chunk = "10000\r\n" + "x".repeat(65_536) + "\r\n";
                            while (true) {
                                connection.send(chunk);
                            }
                        });
        try (endless;
                QuorateClient patient =
                        QuorateClient.builder()
                                .nodes(List.of(endless.uri()))
                                .maxAnswerBytes(1 << 20)
                                .attemptTimeout(Duration.ofSeconds(15))
                                .deadline(Duration.ofSeconds(20))
                                .build()) {
            var failure = catchThrowableOfType(RefusedException.class, () -> patient.get("k"));
            assertThat(failure.status()).isZero();
            assertThat(failure).hasMessageContaining("more than 1048576 bytes");
        }
    }

    @Test
    void aNodeThatDidNotAnswerIsAskedLast() {
        FakeNode silent = new FakeNode((request, connection) -> connection.awaitClose());
        try (Fakes fakes = new Fakes(DEADLINE, silent, good(), good())) {
            for (int i = 0; i < 40; i++) {
                assertThat(fakes.client.get("k")).isPresent();
            }
            assertThat(silent.seen()).hasSizeLessThanOrEqualTo(2);
        }
    }

    @Test
    void aSecondNodeIsAskedIfTheFirstIsSlow() {
        FakeNode slow = new FakeNode((request, connection) -> connection.awaitClose());
        FakeNode quick = good();
        QuorateClient client =
                QuorateClient.builder().nodes(List.of(slow.uri(), quick.uri())).build();
        try (slow;
                quick;
                client) {
            long begun = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                assertThat(
                                client.get(
                                        Key.of("k"),
                                        ReadOptions.DEFAULT.hedgeAfter(Duration.ofMillis(30))))
                        .isPresent();
            }
            // One attempt alone would have had two seconds.
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isLessThan(Duration.ofMillis(1_900));
            await().until(() -> !slow.seen().isEmpty());
        }
    }

    @Test
    void aFailureOfTheFirstDoesNotEndTheSecond() {
        FakeNode failing =
                new FakeNode(
                        (request, connection) -> {
                            Thread.sleep(60);
                            connection.send(FakeNode.problem(504));
                        });
        FakeNode slow =
                new FakeNode(
                        (request, connection) -> {
                            Thread.sleep(120);
                            connection.send(FakeNode.value("late"));
                        });
        try (Fakes fakes = new Fakes(DEADLINE, failing, slow)) {
            for (int i = 0; i < 4; i++) {
                assertThat(
                                fakes.client.get(
                                        Key.of("k"),
                                        ReadOptions.DEFAULT.hedgeAfter(Duration.ofMillis(20))))
                        .isPresent();
            }
        }
    }

    @Test
    void aClosedClientAnswersAtOnce() {
        try (Fakes fakes = new Fakes(DEADLINE, good())) {
            fakes.client.close();
            assertThatThrownBy(() -> fakes.client.get("k"))
                    .isInstanceOf(UnavailableException.class);
            assertThatThrownBy(() -> fakes.client.put("k", "v"))
                    .isInstanceOf(UnavailableException.class);
            assertThat(fakes.seen()).isEmpty();
        }
    }

    @Test
    void anInterruptedThreadStaysInterrupted() {
        try (Fakes fakes = new Fakes(DEADLINE, good())) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> fakes.client.get("k"))
                    .isInstanceOf(CancellationException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void addressesThatAreNoneAreRefused() {
        for (String address :
                List.of(
                        "ftp://a:1",
                        "a:1",
                        "http://u@a:1",
                        "http://a/x",
                        "http://a:1?q",
                        "ftp://a")) {
            assertThatThrownBy(() -> QuorateClient.connect(address))
                    .as(address)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(QuorateClient::connect).isInstanceOf(IllegalStateException.class);
    }
}
