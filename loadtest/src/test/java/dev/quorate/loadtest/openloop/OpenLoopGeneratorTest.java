package dev.quorate.loadtest.openloop;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.RawServer;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Clients;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.Load.Requests;
import dev.quorate.loadtest.load.Load.Timing;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.LoadResult.Second;
import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.load.StoredValues;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenLoopGeneratorTest {

    private static final int KEYS = 101;
    private static final int BYTES = 40;
    private static final Clients CLIENTS = new Clients(3, 7);
    private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String STATIC = HttpStub.ok("x".repeat(BYTES));

    private final OpenLoopGenerator generator = new OpenLoopGenerator();
    private final AtomicInteger asked = new AtomicInteger();

    private static Load load(String url, Operation operation, Manner manner, Timing timing) {
        return new Load(url, Requests.of(operation, "2/3", KEYS, BYTES), CLIENTS, manner, timing);
    }

    private LoadResult run(HttpStub server, Operation operation, Manner manner, Timing timing)
            throws CommandException {
        return generator.run(load(server.url(), operation, manner, timing));
    }

    /** The number of the key that is asked for. */
    private static int key(String line) {
        return Integer.parseInt(line.replaceFirst(".*id=[a-z]+-[0-9-]*-", "").substring(0, 8));
    }

    private static String value(String line) {
        return new String(StoredValues.value(key(line), BYTES), ISO_8859_1);
    }

    @Test
    void sendsAtTheRateAndReportsEachSecond() throws Exception {
        try (HttpStub server = new HttpStub((_, _) -> STATIC)) {
            LoadResult result = run(server, Operation.STATIC, Manner.TIMED, new Timing(0, 2, 500));
            assertThat(result.requests()).isEqualTo(1_000);
            assertThat(result.answers()).isEqualTo(Map.of(200, 1_000L));
            // A slow machine answers the last ones after the end.
            assertThat(result.requestsPerSecond()).isBetween(1_000 / 4.1, 500.0);
            assertThat(result.latency().count()).isEqualTo(1_000);
            assertThat(result.socketErrors() + result.statusErrors()).isZero();
            assertThat(result.strangeBodies()).isZero();
            assertThat(result.everyKey()).isFalse();

            List<Second> seconds = result.overTime();
            assertThat(seconds).hasSizeBetween(1, 2);
            assertThat(seconds.getFirst().answers()).isBetween(1L, 1_000L);
        }
    }

    @Test
    void whatIsAnsweredWhileItWarmsUpDoesNotCount() throws Exception {
        try (HttpStub server =
                new HttpStub((_, _) -> asked.incrementAndGet() <= 10 ? null : STATIC)) {
            LoadResult result = run(server, Operation.STATIC, Manner.TIMED, new Timing(1, 1, 200));
            // Ten connections were closed, and what they had been asked was asked again.
            assertThat(asked).hasValue(410);
            assertThat(result.socketErrors()).isZero();
            assertThat(result.requests()).isBetween(200L, 399L);
            assertThat(result.overTime()).hasSize(1);
            assertThat(result.overTime().getFirst().answers()).isPositive();
        }
    }

    private static long wallNanos() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }

    @Test
    void aStallShowsInAllThatBecameDueMeanwhile() throws Exception {
        AtomicLong stalledNanos = new AtomicLong();
        OpenLoopGenerator watched =
                new OpenLoopGenerator(
                        () -> System.nanoTime() + stalledNanos.get(),
                        OpenLoopGeneratorTest::wallNanos,
                        Duration.ofSeconds(10));
        long stall = TimeUnit.MILLISECONDS.toNanos(200);
        try (HttpStub server =
                new HttpStub(
                        (_, _) -> {
                            if (asked.incrementAndGet() == 500) {
                                stalledNanos.addAndGet(stall);
                            }
                            return STATIC;
                        })) {
            Spectrum latency =
                    watched.run(
                                    load(
                                            server.url(),
                                            Operation.STATIC,
                                            Manner.TIMED,
                                            new Timing(0, 2, 1_000)))
                            .latency();
            assertThat(latency.count()).isEqualTo(2_000);
            assertThat(latency.maxMillis()).isGreaterThanOrEqualTo(199);
            // One request is due each millisecond: as many are late by 150 ms as were due in the
            // first 50, less what each of the connections had under way. Only seven would be, if it
            // counted from when they were sent.
            assertThat(latency.millis(1 - 45 / 2_000.0)).isGreaterThanOrEqualTo(145);
            assertThat(latency.millis(1 - 180 / 2_000.0)).isGreaterThanOrEqualTo(10);
        }
    }

    @Test
    void aConnectionThatBreaksIsCountedAndOpenedAgainAfterAPause() throws Exception {
        try (HttpStub server =
                new HttpStub((_, _) -> asked.incrementAndGet() == 50 ? null : STATIC)) {
            LoadResult result = run(server, Operation.STATIC, Manner.TIMED, new Timing(0, 1, 100));
            assertThat(result.socketErrors()).isEqualTo(1);
            assertThat(result.requests()).as("sent again").isEqualTo(100);
            assertThat(asked).hasValue(101);
            assertThat(result.latency().maxMillis()).isGreaterThanOrEqualTo(100);
        }
    }

    @Test
    void unexpectedBytesBreakAConnection() throws Exception {
        try (HttpStub server =
                new HttpStub(
                        (_, _) ->
                                switch (asked.incrementAndGet()) {
                                    case 20 -> "nonsense\r\n\r\n";
                                    case 40 -> STATIC + STATIC;
                                    case 60 -> CHUNKED + "nonsense\r\n";
                                    default -> STATIC;
                                })) {
            LoadResult result = run(server, Operation.STATIC, Manner.TIMED, new Timing(0, 1, 100));
            assertThat(result.socketErrors()).isEqualTo(2);
            assertThat(result.requests()).isEqualTo(100);
        }
    }

    @Test
    void anAnswerThatEndsItsConnectionIsNoError() throws Exception {
        String closing = STATIC.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
        try (HttpStub server = new HttpStub((_, _) -> closing)) {
            LoadResult result =
                    run(server, Operation.STATIC, Manner.CHECKED, new Timing(0, 1, 100));
            assertThat(result.socketErrors()).isZero();
            assertThat(result.requests()).isEqualTo(100);
        }
        try (RawServer server =
                new RawServer(
                        socket -> {
                            byte[] request = new byte[200];
                            if (socket.getInputStream().read(request) > 0) {
                                String answer = "HTTP/1.0 200 OK\r\n\r\n" + "y".repeat(BYTES);
                                socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
                            }
                            socket.close();
                        })) {
            String url = "http://127.0.0.1:" + server.address().getPort();
            LoadResult result =
                    generator.run(
                            load(url, Operation.STATIC, Manner.CHECKED, new Timing(0, 1, 100)));
            assertThat(result.strangeBodies()).isZero();
            assertThat(result.requests()).isEqualTo(100);
        }
    }

    @Test
    void everyAnswerIsCountedByItsStatus() throws Exception {
        try (HttpStub server =
                new HttpStub(
                        (_, _) ->
                                asked.incrementAndGet() % 4 == 0
                                        ? "HTTP/1.1 503 Busy\r\nContent-Length: 3\r\n\r\nxxx"
                                        : HttpStub.created())) {
            LoadResult result = run(server, Operation.PUT, Manner.TIMED, new Timing(0, 1, 100));
            assertThat(result.answers()).isEqualTo(Map.of(201, 75L, 503, 25L));
            assertThat(result.statusErrors()).isEqualTo(25);
        }
    }

    @Test
    void bodiesAreComparedWhereAllAreLookedAtAndInASampleWhereNot() throws Exception {
        try (HttpStub server =
                new HttpStub(
                        (line, _) ->
                                HttpStub.ok(
                                        asked.incrementAndGet() % 10 == 0
                                                ? value(line).replace('a', 'b') + "."
                                                : value(line)))) {
            LoadResult checked = run(server, Operation.GET, Manner.CHECKED, new Timing(0, 1, 200));
            assertThat(checked.strangeBodies()).isEqualTo(20);
            assertThat(checked.answers()).isEqualTo(Map.of(200, 200L));
        }
        try (HttpStub server = new HttpStub((_, _) -> HttpStub.ok("nothing of ours"))) {
            LoadResult timed = run(server, Operation.GET, Manner.TIMED, new Timing(0, 1, 600));
            assertThat(timed.strangeBodies()).isBetween(600L / 64, 600L / 64 + 3);
        }
    }

    @Test
    void aConditionalWriteReplacesTheVersionThatItsConnectionWroteLast() throws Exception {
        Map<Integer, Integer> versions = new ConcurrentHashMap<>();
        try (HttpStub server =
                new HttpStub(
                        (line, _) -> {
                            int version = versions.merge(key(line), 1, Integer::sum);
                            String condition = " If-Match: \"v" + (version - 1) + "\"";
                            boolean isRight =
                                    version == 1
                                            ? !line.contains("If-Match")
                                            : line.endsWith(condition);
                            return "HTTP/1.1 %d X\r\nContent-Length: 0\r\nETag: \"v%d\"\r\n\r\n"
                                    .formatted(isRight ? 201 : 412, version);
                        })) {
            LoadResult result =
                    run(server, Operation.PUT_IF_MATCH, Manner.TIMED, new Timing(0, 1, 200));
            assertThat(result.answers()).isEqualTo(Map.of(201, 200L));
            assertThat(versions).hasSize(7);
        }
    }

    @Test
    void aRangeIsReadToItsEnd() throws Exception {
        StringBuilder chunks = new StringBuilder();
        for (int key = 0; key < KEYS; key++) {
            String entry =
                    StoredValues.key(key, BYTES)
                            + "\n"
                            + new String(StoredValues.value(key, BYTES), ISO_8859_1);
            chunks.append(Integer.toHexString(entry.length())).append("\r\n");
            chunks.append(entry).append("\r\n");
        }
        String whole = CHUNKED + chunks + "0\r\n\r\n";
        String half = CHUNKED + chunks.substring(0, chunks.indexOf("\r\n3a\r\n") + 2) + "0\r\n\r\n";
        try (HttpStub server =
                new HttpStub((_, _) -> asked.incrementAndGet() % 10 == 0 ? half : whole)) {
            LoadResult result = run(server, Operation.RANGE, Manner.CHECKED, new Timing(0, 1, 50));
            assertThat(result.answers()).isEqualTo(Map.of(200, 50L));
            assertThat(result.strangeBodies()).isEqualTo(5);
            assertThat(result.socketErrors()).isZero();
        }
    }

    @Test
    void everyKeyIsPutOnceWithItsValueAndThenItIsOver() throws Exception {
        Map<Integer, String> values = new ConcurrentHashMap<>();
        try (HttpStub server =
                new HttpStub(
                        (line, body) -> {
                            // What breaks is sent again.
                            if (asked.incrementAndGet() == 30) {
                                return null;
                            }
                            assertThat(values.put(key(line), new String(body, ISO_8859_1)))
                                    .isNull();
                            return HttpStub.created();
                        })) {
            LoadResult result = run(server, Operation.PUT, Manner.EVERY_KEY, new Timing(0, 600, 0));
            assertThat(result.everyKey()).isTrue();
            assertThat(result.answers()).isEqualTo(Map.of(201, (long) KEYS));
            assertThat(values).hasSize(KEYS);
            values.forEach(
                    (key, value) ->
                            assertThat(value)
                                    .isEqualTo(
                                            new String(
                                                    StoredValues.value(key, BYTES), ISO_8859_1)));
        }
    }

    @Test
    void aValueThatDoesNotFitIntoTheSocketsIsSentInPieces() throws Exception {
        int large = 12 << 20;
        AtomicInteger right = new AtomicInteger();
        try (HttpStub server =
                new HttpStub(
                        (line, body) -> {
                            boolean isRight =
                                    Arrays.equals(body, StoredValues.value(key(line), large));
                            right.addAndGet(isRight ? 1 : 0);
                            return HttpStub.created();
                        })) {
            Load load =
                    Load.unbounded(
                            server.url(),
                            Requests.of(Operation.PUT, "2/3", 2, large),
                            Clients.of(1),
                            Manner.EVERY_KEY,
                            600);
            assertThat(generator.run(load).everyKey()).isTrue();
            assertThat(right).hasValue(2);
        }
    }

    @Test
    void aLoadWithoutAnswersFailsAfterALimit() throws Exception {
        try (HttpStub server =
                new HttpStub(
                        (_, _) -> {
                            if (asked.incrementAndGet() > 20) {
                                waitForEver();
                            }
                            return HttpStub.created();
                        })) {
            LoadResult result = run(server, Operation.PUT, Manner.EVERY_KEY, new Timing(0, 1, 0));
            assertThat(result.everyKey()).isFalse();
            assertThat(result.answers()).isEqualTo(Map.of(201, 20L));
            assertThat(result.socketErrors()).isEqualTo(CLIENTS.connections());
        }
    }

    private static void waitForEver() throws IOException {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void withoutARateEachConnectionSendsWhenItWasAnswered() throws Exception {
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (HttpStub server =
                new HttpStub(
                        (_, _) -> {
                            most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                            asked.incrementAndGet();
                            underWay.decrementAndGet();
                            return STATIC;
                        })) {
            LoadResult result = run(server, Operation.STATIC, Manner.TIMED, new Timing(0, 1, 0));
            assertThat(result.requests()).isEqualTo(asked.get()).isGreaterThan(7);
            assertThat(most.get()).isLessThanOrEqualTo(CLIENTS.connections());
        }
    }

    @Test
    void reportsInOneSentenceThatTheConnectionIsRefused() throws Exception {
        int port;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
        }
        String url = "http://127.0.0.1:" + port;
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(
                        () ->
                                generator.run(
                                        load(
                                                url,
                                                Operation.STATIC,
                                                Manner.TIMED,
                                                new Timing(0, 1, 0))))
                .withMessage(url + " does not take 7 connections: Connection refused.");
    }

    @Test
    void reportsInOneSentenceThatNothingIsAnswered() throws Exception {
        OpenLoopGenerator impatient =
                new OpenLoopGenerator(
                        System::nanoTime, OpenLoopGeneratorTest::wallNanos, Duration.ofSeconds(1));
        try (HttpStub server =
                new HttpStub(
                        (_, _) -> {
                            waitForEver();
                            return STATIC;
                        })) {
            assertThatExceptionOfType(CommandException.class)
                    .isThrownBy(
                            () ->
                                    impatient.run(
                                            load(
                                                    server.url(),
                                                    Operation.STATIC,
                                                    Manner.TIMED,
                                                    new Timing(0, 600, 10))))
                    .withMessage(server.url() + " answers nothing within 1 s.");
        }
        try (HttpStub server = new HttpStub((_, _) -> "SSH-2.0-OpenSSH_9\r\n")) {
            assertThatExceptionOfType(CommandException.class)
                    .isThrownBy(
                            () -> run(server, Operation.STATIC, Manner.TIMED, new Timing(0, 1, 10)))
                    .withMessage(
                            server.url()
                                    + " answers nothing: an answer begins with 'SSH-2.0-OpenSSH_9'.");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:80", "https://127.0.0.1", "http:///x", "http://a b"})
    void refusesAnAddressThatIsNone(String url) {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(
                        () ->
                                generator.run(
                                        load(
                                                url,
                                                Operation.STATIC,
                                                Manner.TIMED,
                                                new Timing(0, 1, 0))))
                .withMessage("'" + url + "' is not of the form http://host:port.");
    }
}
