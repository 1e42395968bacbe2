package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.access.AccessToken;
import dev.quorate.node.access.AccessTokens;
import dev.quorate.node.access.Authentication;
import dev.quorate.node.access.Role;
import dev.quorate.node.access.Share;
import dev.quorate.node.access.Shares;
import dev.quorate.node.http.RawClient;
import dev.quorate.node.http.RawClient.Answer;
import dev.quorate.node.runtime.ManualTime;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a token may take of a node, and what others have while one takes all of it. */
final class ClientSharesTest {

    private static final int BYTES_PER_SECOND = 64 << 10;
    private static final int RANGES = 2;
    private static final int VALUE_BYTES = 100_000;
    private static final String OTHER = "other";
    private static final String LIMITED = "limited";

    private final ManualTime time = new ManualTime();
    private AccessTokens tokens = AccessTokens.none();
    private String limited = "";
    private String other = "";
    private Edge edge;
    private RawClient client;

    @BeforeEach
    void start() throws IOException {
        limited = issue(LIMITED, new Shares(0, BYTES_PER_SECOND, RANGES));
        other = issue(OTHER, Shares.NONE);
        edge = Edge.start(Authentication.by(() -> tokens), time);
        edge.operations.batchEntries = 1;
        client = edge.client();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        await().untilAtomic(edge.operations.openScans, equalTo(0));
        edge.close();
    }

    private String issue(String name, Shares shares) throws IOException {
        AccessToken.Issued issued =
                AccessToken.issue(name, Role.WRITE, new byte[0], shares, new Random(46));
        tokens = tokens.with(issued.token());
        return "Authorization: Bearer " + issued.text() + "\r\n";
    }

    private static String request(String method, String target, String headers, String body) {
        String length = body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n";
        return "%s %s HTTP/1.1\r\nHost: x\r\n%s%s\r\n%s"
                .formatted(method, target, headers, length, body);
    }

    private Answer ask(String method, String target, String headers, String body)
            throws IOException {
        return client.send(request(method, target, headers, body)).read(method.equals("HEAD"));
    }

    private Answer put(String headers, int bytes) throws IOException {
        return ask("PUT", "/v0/entity?id=k", headers, "v".repeat(bytes));
    }

    private int get(String headers) throws IOException {
        return ask("GET", "/v0/entity?id=k", headers, "").status();
    }

    private void store(int entries) {
        for (int i = 0; i < entries; i++) {
            byte[] key = "r%03d".formatted(i).getBytes(StandardCharsets.US_ASCII);
            Timestamp timestamp = Timestamp.of(1_767_225_600_000L, 0, 1);
            edge.operations.entries.put(key, Entry.value(key, timestamp, new byte[VALUE_BYTES], 3));
        }
    }

    /** It is taken, and what comes next waits until it is paid for. */
    @Test
    void aBodyLargerThanTheBurstIsADebt() throws IOException {
        assertThat(put(limited, 5 * BYTES_PER_SECOND).status()).isEqualTo(201);
        Answer refused = put(limited, 1);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("retry-after")).isEqualTo("5");
        assertThat(refused.text())
                .contains("The token 'limited' may send and receive 64KiB a second at this node")
                .contains("Nothing was attempted. Try again in 5 s.");
        assertThat(get(limited)).isEqualTo(429);
        assertThat(get(other)).as("another's").isEqualTo(200);
        time.advance(Duration.ofMillis(3_900));
        assertThat(put(limited, 1).status()).isEqualTo(429);
        time.advance(Duration.ofMillis(200));
        assertThat(put(limited, 1).status()).isEqualTo(201);
        assertThat(edge.operations.writes).hasValue(2);
        assertThat(edge.refused).hasSize(3).containsOnly(Share.TOKEN_BYTES);
        assertThat(edge.observed).contains("PUT 429", "GET 429");
    }

    @Test
    void answersCount() throws IOException {
        assertThat(put(other, 3 * BYTES_PER_SECOND).status()).isEqualTo(201);
        assertThat(ask("HEAD", "/v0/entity?id=k", limited, "").status()).isEqualTo(200);
        assertThat(get(limited)).as("a HEAD costs nothing").isEqualTo(200);
        assertThat(get(limited)).isEqualTo(429);
        time.advance(Duration.ofSeconds(3));
        assertThat(get(limited)).isEqualTo(200);
    }

    /** The body of a refused request is discarded as it comes: it takes no memory. */
    @Test
    void aRefusedBodyIsNotKept() throws IOException {
        put(limited, 3 * BYTES_PER_SECOND);
        long readBefore = edge.listener.statistics().bytesRead();
        String whole = request("PUT", "/v0/entity?id=k", limited, "v".repeat(1_000_000));
        client.send(whole.substring(0, 600_000));
        await().until(() -> edge.listener.statistics().bytesRead() > readBefore + 500_000);
        assertThat(edge.listener.inputBytes()).isZero();
        assertThat(client.send(whole.substring(600_000)).read().status()).isEqualTo(429);
        time.advance(Duration.ofSeconds(3));
        assertThat(get(limited)).as("what was refused costs nothing").isEqualTo(200);
    }

    @Test
    void aClientThatAsksFirstNeedNotSendTheBody() throws IOException {
        put(limited, 3 * BYTES_PER_SECOND);
        client.send(
                "PUT /v0/entity?id=k HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
                        + limited
                        + "Expect: 100-continue\r\n\r\n");
        assertThat(client.read().status()).isEqualTo(429);
    }

    /** Otherwise a hundred that begin at once would all pass. */
    @Test
    void aDeclaredLengthCountsAtOnce() throws IOException {
        String whole = request("PUT", "/v0/entity?id=k", limited, "v".repeat(4 * BYTES_PER_SECOND));
        client.send(whole.substring(0, 500));
        try (RawClient second = edge.client()) {
            await().until(
                            () ->
                                    second.send(request("GET", "/v0/entity?id=a", limited, ""))
                                            .read()
                                            .status(),
                            equalTo(429));
        }
        assertThat(client.send(whole.substring(500)).read().status()).isEqualTo(201);
    }

    @Test
    void aBodyWithoutALengthCountsWhenItIsComplete() throws IOException {
        int bytes = 2 * BYTES_PER_SECOND;
        String chunks = Integer.toHexString(bytes) + "\r\n" + "v".repeat(bytes) + "\r\n0\r\n\r\n";
        String head = "PUT /v0/entity?id=k HTTP/1.1\r\nHost: x\r\n" + limited;
        String whole = head + "Transfer-Encoding: chunked\r\n\r\n" + chunks;
        assertThat(client.send(whole).read().status()).isEqualTo(201);
        Answer refused = client.send(whole).read();
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("retry-after")).isEqualTo("2");
        assertThat(edge.operations.writes).hasValue(1);
    }

    @Test
    void pipelinedRequestsAreJudgedOneByOne() throws IOException {
        String large = request("PUT", "/v0/entity?id=k", limited, "v".repeat(2 * BYTES_PER_SECOND));
        String small = request("PUT", "/v0/entity?id=k", limited, "v");
        client.send(large + small + request("GET", "/v0/entity?id=k", other, ""));
        assertThat(client.read().status()).isEqualTo(201);
        assertThat(client.read().status()).isEqualTo(429);
        assertThat(client.read().status()).isEqualTo(200);
        assertThat(edge.operations.writes).hasValue(1);
    }

    @Test
    void aBatchCountsWithItsBodyAndItsAnswer() throws IOException {
        store(2);
        String lines = "{\"op\":\"get\",\"key\":\"r000\"}\n{\"op\":\"get\",\"key\":\"r001\"}\n";
        String headers = limited + "Content-Type: application/x-ndjson\r\n";
        Answer answer = ask("POST", "/v0/entities", headers, lines);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text().lines()).hasSize(2);
        Answer refused = ask("POST", "/v0/entities", headers, lines);
        assertThat(refused.status()).isEqualTo(429);
        int debt = answer.body().length + lines.length() - BYTES_PER_SECOND;
        assertThat(refused.header("retry-after"))
                .isEqualTo("" + Math.ceilDiv(debt, BYTES_PER_SECOND));
    }

    /** Each entry takes a second and a half. */
    @Test
    void aRangeIsSentNoFasterThanItsTokenMayReceive() throws Exception {
        store(3);
        client.send(request("GET", "/v0/entities?start=r&end=s", limited, ""));
        long sent = settled();
        assertThat(sent).isBetween(VALUE_BYTES * 1L, VALUE_BYTES * 2L);
        time.advance(Duration.ofMillis(100));
        assertThat(settled()).as("too early").isEqualTo(sent);
        long begunNanos = time.nanos();
        FutureTask<Answer> reading = new FutureTask<>(client::read);
        Thread.startVirtualThread(reading);
        await().until(
                        () -> {
                            time.advance(Duration.ofMillis(200));
                            return edge.operations.openScans.get();
                        },
                        equalTo(0));
        Answer answer = reading.get();
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body().length).isGreaterThan(3 * VALUE_BYTES);
        assertThat(Duration.ofNanos(time.nanos() - begunNanos))
                .isGreaterThan(Duration.ofSeconds(2));
    }

    private long settled() {
        await().until(() -> edge.listener.statistics().bytesWritten() >= VALUE_BYTES);
        return edge.listener.statistics().bytesWritten();
    }

    /** Its place is for others then. */
    @Test
    void aRangeThatWouldWaitTooLongIsCutOff() throws IOException {
        store(6);
        try (RawClient second = edge.client()) {
            String head = "PUT /v0/entity?id=k HTTP/1.1\r\nHost: x\r\n" + limited;
            String body = "400000\r\n" + "v".repeat(0x400000) + "\r\n0\r\n\r\n";
            long readBefore = edge.listener.statistics().bytesRead();
            second.send(head + "Transfer-Encoding: chunked\r\n\r\n" + body.substring(0, 9));
            await().until(
                            () ->
                                    edge.listener.statistics().bytesRead()
                                            > readBefore + head.length());
            client.send(request("GET", "/v0/entities?start=r&end=s", limited, ""));
            settled();
            second.send(body.substring(9));
            assertThat(second.read().status()).isEqualTo(201);
        }
        time.advance(Duration.ofSeconds(1));
        await().untilAtomic(edge.operations.openScans, equalTo(0));
        byte[] all = client.upTo(1 << 20);
        assertThat(new String(all, StandardCharsets.ISO_8859_1)).doesNotEndWith("0\r\n\r\n");
    }

    @Test
    void aTokenHasNoMoreRangesOpenThanItMay() throws IOException {
        store(60);
        tokens = without(BYTES_PER_SECOND);
        RawClient first = range(limited);
        RawClient second = range(limited);
        String range = request("GET", "/v0/entities?start=r&end=s", limited, "");
        try (RawClient third = edge.client()) {
            Answer refused = third.send(range).read();
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.text())
                    .contains("The token 'limited' has as many ranges open at this node", "2.");
            assertThat(edge.refused).endsWith(Share.TOKEN_RANGES);
            assertThat(edge.operations.openScans).as("nothing was read").hasValue(2);
            assertThat(third.send(range.replace(limited, other)).read().status()).isEqualTo(200);
            first.breakOff();
            await().until(() -> third.send(range).read().status(), equalTo(200));
        }
        second.breakOff();
    }

    /** The same tokens without the limit of bytes. */
    private AccessTokens without(long bytesPerSecond) throws IOException {
        String file = new String(tokens.bytes(), StandardCharsets.US_ASCII);
        String rate = " bytes-rate=" + (bytesPerSecond >> 10) + "KiB";
        assertThat(file).contains(rate);
        return AccessTokens.parse(file.replace(rate, "").getBytes(StandardCharsets.US_ASCII));
    }

    private RawClient range(String headers) throws IOException {
        int before = edge.operations.openScans.get();
        RawClient reader = edge.client();
        reader.send(request("GET", "/v0/entities?start=r&end=s", headers, ""));
        await().untilAtomic(edge.operations.openScans, equalTo(before + 1));
        return reader;
    }

    /** Whether it fails, is refused, or its client leaves in the middle. */
    @Test
    void aRangesPlaceComesBackHoweverItEnds() throws IOException {
        store(6);
        tokens = without(BYTES_PER_SECOND);
        String range = "/v0/entities?start=r&end=s";
        for (int i = 0; i < 2 * RANGES; i++) {
            assertThat(ask("GET", range, limited, "").status()).isEqualTo(200);
            assertThat(ask("HEAD", range, limited, "").status()).isEqualTo(200);
            assertThat(ask("GET", range + "&limit=x", limited, "").status()).isEqualTo(400);
        }
        edge.operations.batchesUntilFailure = 0;
        for (int i = 0; i < 2 * RANGES; i++) {
            assertThat(ask("GET", range, limited, "").status()).isEqualTo(504);
        }
        edge.operations.batchesUntilFailure = Integer.MAX_VALUE;
        edge.draining = true;
        for (int i = 0; i < 2 * RANGES; i++) {
            assertThat(ask("GET", range, limited, "").status()).isEqualTo(503);
        }
        edge.draining = false;
        assertThat(ask("GET", range, limited, "").status()).isEqualTo(200);
        assertThat(edge.refused).isEmpty();
    }

    /** A client that leaves while its range waits: the timer does not bring it back. */
    @Test
    void aWaitingRangeEndsWithItsClient() throws IOException {
        store(6);
        for (int i = 0; i < 2 * RANGES; i++) {
            time.advance(Duration.ofSeconds(3));
            RawClient reader = range(limited);
            settled();
            reader.breakOff();
            await().untilAtomic(edge.operations.openScans, equalTo(0));
        }
        time.advance(Duration.ofSeconds(3));
        assertThat(edge.operations.openScans).hasValue(0);
        assertThat(edge.refused).isEmpty();
    }

    @Test
    void otherPagesDoNotCount() throws IOException {
        put(limited, 5 * BYTES_PER_SECOND);
        assertThat(ask("GET", "/v0/ring", limited, "").status()).isEqualTo(200);
        assertThat(ask("GET", "/metrics", limited, "").status()).isEqualTo(200);
        assertThat(get(limited)).isEqualTo(429);
    }

    @Test
    void aTokenWithoutSharesIsNeverRefused() throws IOException {
        store(6);
        for (int i = 0; i < 20; i++) {
            assertThat(put(other, BYTES_PER_SECOND).status()).isEqualTo(201);
        }
        RawClient[] readers = new RawClient[20];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = edge.client();
            readers[i].send(request("GET", "/v0/entities?start=r&end=s", other, ""));
        }
        for (RawClient reader : readers) {
            assertThat(reader.read().status()).isEqualTo(200);
            reader.close();
        }
        assertThat(edge.refused).isEmpty();
    }
}
