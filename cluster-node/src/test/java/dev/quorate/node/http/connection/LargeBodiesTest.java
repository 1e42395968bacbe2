package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.budget.HttpBudgets;
import dev.quorate.node.http.budget.HttpDeadlines;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.parse.ParserTranscript;
import dev.quorate.router.runtime.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bodies that wait for room, of which there are 16 MiB. */
final class LargeBodiesTest {

    /** As in {@link StoringServer}. */
    private static final int SELECTORS = 2;

    private static final int MIB = 1 << 20;
    private static final byte[] ONE_MIB = new byte[MIB];
    private static final byte[] CONTINUE = ParserTranscript.bytes("HTTP/1.1 100 Continue||");

    private final ManualTime time = new ManualTime();
    private final List<RawClient> clients = new ArrayList<>();
    private final List<Thread> senders = new ArrayList<>();
    private StoringServer server;

    @BeforeEach
    void start() throws IOException {
        HttpBudgets budgets = new HttpBudgets(16 * MIB, 4 * MIB, 4 * MIB, 16 * MIB, 4 * MIB);
        server = StoringServer.start(HttpLimits.defaults().withBudgets(budgets), time);
    }

    @AfterEach
    void stop() throws Exception {
        for (RawClient client : clients) {
            client.close();
        }
        for (Thread sender : senders) {
            sender.join();
        }
        server.close();
    }

    private RawClient client() throws IOException {
        return add(server.client());
    }

    private RawClient add(RawClient client) {
        clients.add(client);
        return client;
    }

    private static byte[] put(int length, String more) {
        return put("/a", length, more);
    }

    private static byte[] put(String path, int length, String more) {
        return ParserTranscript.bytes(
                "PUT %s HTTP/1.1|Host: x|%sContent-Length: %d||".formatted(path, more, length));
    }

    /** Sends a whole PUT from another thread, as nobody may read it for a while. */
    private RawClient sending(RawClient client, int length) {
        return sending(client, "/a", length);
    }

    private RawClient sending(RawClient client, String path, int length) {
        byte[] body = length == MIB ? ONE_MIB : new byte[length];
        byte[] put = put(path, length, "");
        Runnable task = () -> client.sendWhatItTakes(put).sendWhatItTakes(body);
        senders.add(Thread.ofVirtual().start(task));
        return client;
    }

    /** One that has all the room, and has sent some of its body. */
    private RawClient holder() throws IOException {
        RawClient holder = client().send(put(16 * MIB, "")).send(new byte[100_000]);
        await().until(server.listener::inputBytes, equalTo(16L * MIB));
        return holder;
    }

    /** One that has sent a head, and a byte after that was read: it asks for room. */
    private RawClient asking(int length) throws IOException {
        RawClient client = client();
        sendAndAwait(client, put(length, ""));
        return client.send("a");
    }

    /** Sends, and waits until it is read. */
    private void sendAndAwait(RawClient client, byte[] bytes) throws IOException {
        long before = server.listener.statistics().bytesRead.sum();
        client.send(bytes);
        await().until(() -> server.listener.statistics().bytesRead.sum() >= before + bytes.length);
    }

    private void awaitWaiting(int count) {
        await().until(server.listener.context.bodyQueue::waiting, equalTo(count));
    }

    private void sweep() {
        time.advance(HttpDeadlines.SWEEP);
    }

    @Test
    void sixtyFourOfAMebibyteAreAllServed() throws IOException {
        List<RawClient> writers = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            writers.add(sending(client(), MIB));
        }
        for (RawClient writer : writers) {
            assertThat(writer.read().status()).isEqualTo(201);
        }
        assertThat(server.writes).hasValue(64);
        await().until(server.listener::inputBytes, equalTo(0L));
        assertThat(server.listener.headBytes()).isZero();
        assertThat(server.listener.statistics().rejected(Rejection.BYTES)).isZero();
    }

    /** The beginnings of all are read before any of them has asked for room. */
    @Test
    void thoseThatArriveInOneTurnOfTheSelectorsAreAllServed() throws Exception {
        for (int i = 0; i < 100 && server.holding.get() < SELECTORS; i++) {
            int connections = server.listener.openConnections();
            client().send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
            await().until(server.listener::openConnections, equalTo(connections + 1));
        }
        await().until(server.holding::get, equalTo(SELECTORS));
        CountDownLatch begun = new CountDownLatch(64);
        List<RawClient> writers = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            RawClient writer = client();
            writers.add(writer);
            senders.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        writer.sendWhatItTakes(put(MIB, ""))
                                                .sendWhatItTakes(new byte[64 << 10]);
                                        begun.countDown();
                                        writer.sendWhatItTakes(new byte[MIB - (64 << 10)]);
                                    }));
        }
        begun.await();
        server.permits.release(100);
        for (RawClient writer : writers) {
            assertThat(writer.read().status()).isEqualTo(201);
        }
    }

    @Test
    void aBodyThatWaitsIsServedWhenTheRoomIsReleased() throws IOException {
        RawClient holder = holder();
        RawClient waiting = sending(client(), MIB);
        awaitWaiting(1);
        assertThat(server.writes).hasValue(0);
        holder.send(new byte[16 * MIB - 100_000]);
        assertThat(holder.read().status()).isEqualTo(201);
        assertThat(waiting.read().status()).isEqualTo(201);
        awaitWaiting(0);
    }

    @Test
    void aBodyThatWaitsIsRefusedAtItsDeadline() throws IOException {
        RawClient holder = holder();
        long headBytes = server.listener.headBytes();
        RawClient waiting = sending(client(), MIB);
        awaitWaiting(1);
        for (int i = 0; i < 2; i++) {
            sendAndAwait(holder, new byte[300_000]);
            sweep();
            assertThat(waiting.hasAnswer()).isFalse();
        }
        sendAndAwait(holder, new byte[300_000]);
        sweep();
        RawClient.Answer answer = waiting.read();
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("retry-after")).isEqualTo("1");
        assertThat(server.listener.statistics().rejected(Rejection.BYTES)).isEqualTo(1);
        awaitWaiting(0);
        assertThat(server.listener.headBytes()).isEqualTo(headBytes);
    }

    @Test
    void aClientThatAsksFirstGetsIts100WhenThereIsRoom() throws IOException {
        RawClient holder = holder();
        RawClient asking = client().send(put(MIB, "Expect: 100-continue|"));
        awaitWaiting(1);
        assertThat(asking.hasAnswer()).isFalse();
        holder.send(new byte[16 * MIB - 100_000]);
        assertThat(asking.exactly(CONTINUE.length)).isEqualTo(CONTINUE);
        assertThat(asking.send(new byte[MIB]).read().status()).isEqualTo(201);
    }

    @Test
    void whoDeclaresMuchAndSendsNothingHoldsNoRoom() throws IOException {
        for (int i = 0; i < 200; i++) {
            client().send(put(16 * MIB, ""));
        }
        await().until(() -> server.listener.statistics().accepted.sum(), equalTo(200L));
        await().until(() -> server.listener.statistics().bytesRead.sum() > 200 * 30);
        assertThat(server.listener.inputBytes()).isZero();
        assertThat(server.listener.context.bodyQueue.waiting()).isZero();
        assertThat(server.listener.headBytes()).isLessThan(200 * 1_000);
        RawClient other = sending(client(), 4 * MIB);
        assertThat(other.read().status()).isEqualTo(201);
    }

    @Test
    void whoSendsAByteASecondLosesTheRoomToOneThatWaits() throws IOException {
        RawClient slow = asking(16 * MIB);
        await().until(server.listener::inputBytes, equalTo(16L * MIB));
        for (int i = 0; i < 10; i++) {
            sweep();
            sendAndAwait(slow, new byte[1]);
        }
        RawClient waiting = sending(client(), MIB);
        awaitWaiting(1);
        sweep();
        assertThat(slow.read().status()).isEqualTo(408);
        assertThat(waiting.read().status()).isEqualTo(201);
    }

    @Test
    void whoHasJustGotTheRoomHasTimeToSend() throws IOException {
        RawClient holder = holder();
        RawClient next = asking(16 * MIB);
        awaitWaiting(1);
        RawClient last = sending(client(), MIB);
        awaitWaiting(2);
        holder.send(new byte[16 * MIB - 100_000]);
        assertThat(holder.read().status()).isEqualTo(201);
        assertThat(last.read().status()).as("it overtakes the larger one").isEqualTo(201);
        awaitWaiting(0);
        RawClient another = sending(client(), MIB);
        awaitWaiting(1);
        sweep();
        assertThat(next.hasAnswer()).isFalse();
        next.send(new byte[16 * MIB - 1]);
        assertThat(next.read().status()).isEqualTo(201);
        assertThat(another.read().status()).isEqualTo(201);
    }

    @Test
    void aSmallBodyDoesNotWait() throws IOException {
        RawClient ignored = holder();
        RawClient waiting = sending(client(), MIB);
        awaitWaiting(1);
        assertThat(client().send(put(5, "")).send("abcde").read().status()).isEqualTo(201);
        assertThat(client().send(put(60_000, "")).send(new byte[60_000]).read().status())
                .isEqualTo(201);
        assertThat(waiting.hasAnswer()).isFalse();
    }

    @Test
    void aChunkedBodyDoesNotWait() throws IOException {
        RawClient ignored = holder();
        RawClient chunked =
                client().send(
                                ParserTranscript.bytes(
                                        "PUT /c HTTP/1.1|Host: x|Transfer-Encoding: chunked||"
                                                + "186A0|"))
                        .sendWhatItTakes(new byte[100_000]);
        assertThat(chunked.read().status()).isEqualTo(503);
    }

    @Test
    void whoLeavesWhileWaitingGivesUpItsPlace() throws IOException {
        RawClient ignored = holder();
        RawClient leaving = asking(MIB);
        awaitWaiting(1);
        leaving.breakOff();
        awaitWaiting(0);
        await().until(server.listener::openConnections, equalTo(1));
        assertThat(server.listener.inputBytes()).isEqualTo(16L * MIB);
    }

    @Test
    void anAddressWithManyConnectionsDoesNotDelayAnother() throws IOException {
        RawClient holder = holder();
        List<RawClient> many = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            many.add(sending(client(), "/later", MIB));
            awaitWaiting(i + 1);
        }
        RawClient other = add(RawClient.from("127.0.0.2", server.listener.port()));
        assertThat(sending(other, MIB)).isSameAs(other);
        awaitWaiting(21);
        holder.send(new byte[16 * MIB - 100_000]);
        // There is room for 16, and those of the many keep it.
        assertThat(other.read().status()).isEqualTo(201);
        await().until(
                        () -> {
                            Runnable answer = server.later.poll();
                            while (answer != null) {
                                answer.run();
                                answer = server.later.poll();
                            }
                            return server.writes.get();
                        },
                        equalTo(22));
        for (RawClient client : many) {
            assertThat(client.read().status()).isEqualTo(201);
        }
    }

    @Test
    void pipelinedRequestsBehindALargeBodyAreServed() throws IOException {
        RawClient holder = holder();
        RawClient client = client();
        senders.add(
                Thread.ofVirtual()
                        .start(
                                () ->
                                        client.sendWhatItTakes(
                                                        ParserTranscript.bytes(
                                                                "GET /status HTTP/1.1|Host: x||"))
                                                .sendWhatItTakes(put(MIB, ""))
                                                .sendWhatItTakes(new byte[MIB])
                                                .sendWhatItTakes(
                                                        ParserTranscript.bytes(
                                                                "GET /status HTTP/1.1|Host:"
                                                                        + " x||"))));
        assertThat(client.read().status()).isEqualTo(200);
        awaitWaiting(1);
        holder.send(new byte[16 * MIB - 100_000]);
        assertThat(client.read().status()).isEqualTo(201);
        assertThat(client.read().status()).isEqualTo(200);
    }

    @Test
    void closingTheListenerReleasesEverything() throws IOException {
        RawClient ignored = holder();
        for (int i = 0; i < 10; i++) {
            RawClient waiting = sending(client(), MIB);
            assertThat(waiting).isNotNull();
        }
        awaitWaiting(10);
        time.advance(Duration.ofMillis(1));
        server.listener.close();
        awaitWaiting(0);
        assertThat(server.listener.headBytes()).isZero();
    }
}
