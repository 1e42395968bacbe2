package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.HttpBudgets;
import dev.quorate.node.http.budget.HttpDeadlines;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.runtime.ManualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Answers that are made while they are sent. */
final class StreamingTest {

    /** More than this the kernel's buffers of one connection do not take. */
    private static final long KERNEL_BYTES = 24 << 20;

    private static final HttpResponse OK = new HttpResponse(200, List.of(), new byte[0]);

    private final ManualTime time = new ManualTime();
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private HttpListener listener;
    private RawClient client;

    private void listen(HttpHandler handler) throws IOException {
        listener = TestListener.start(1, HttpLimits.defaults(), handler, time, time);
        client = new RawClient(listener.port());
    }

    private void listen(StreamSource source) throws IOException {
        listen((request, exchange) -> exchange.stream(OK, source));
        get();
    }

    private void get() throws IOException {
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        await().until(listener::openConnections, equalTo(0));
        assertThat(listener.outputBytes()).isZero();
        listener.close();
        pool.shutdownNow();
    }

    @Test
    void aSlowClientSlowsTheSource() throws IOException {
        Streams.Endless endless = new Streams.Endless(30_000);
        listen((request, exchange) -> exchange.stream(OK, endless));
        client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        long pulled = settled(endless);
        assertThat(pulled).isLessThan(KERNEL_BYTES);
        assertThat(listener.outputBytes()).isEqualTo(HttpBudgets.STREAM_BYTES);
        client.exactly((int) pulled);
        await().until(() -> endless.bytes.get() > pulled);
        endless.endSoon();
        while (client.upTo(1 << 20).length == 1 << 20) {
            // Only to see that it comes to an end.
        }
        await().untilAtomic(endless.closed, equalTo(1));
    }

    /** How much was pulled once nothing more is. */
    private static long settled(Streams.Endless endless) {
        AtomicReference<Long> last = new AtomicReference<>(-1L);
        await().pollInterval(Duration.ofMillis(200))
                .until(
                        () -> {
                            long now = endless.bytes.get();
                            return now > 0 && last.getAndSet(now) == now;
                        });
        return last.get();
    }

    @Test
    void aReaderThatStopsIsCutOffAndTheSourceClosedOnce() throws IOException {
        Streams.Endless endless = new Streams.Endless(30_000);
        listen(endless);
        settled(endless);
        time.advance(Duration.ofSeconds(29));
        assertThat(endless.closed).hasValue(0);
        time.advance(Duration.ofSeconds(2));
        // A selector that is in the middle of a write closes the source after it.
        await().untilAtomic(endless.closed, equalTo(1));
        await().until(listener::openConnections, equalTo(0));
        assertThat(endless.closed).hasValue(1);
        assertThat(endless.pullsAfterClose).hasValue(0);
    }

    @Test
    void aReaderThatLeavesWhileNothingIsSentClosesTheSource() throws IOException {
        AtomicInteger closed = new AtomicInteger();
        AtomicInteger pulled = new AtomicInteger();
        listen(
                new StreamSource() {
                    @Override
                    public void pull(StreamSink sink) {
                        if (pulled.incrementAndGet() == 1) {
                            sink.chunk(new byte[10]);
                            sink.more();
                        } // Otherwise it searches.
                    }

                    @Override
                    public void close() {
                        closed.incrementAndGet();
                    }
                });
        await().untilAtomic(pulled, equalTo(2));
        time.advance(HttpDeadlines.SWEEP);
        assertThat(closed).hasValue(0);
        client.close();
        await().until(
                        () -> {
                            time.advance(HttpDeadlines.SWEEP);
                            return closed.get() == 1;
                        });
    }

    @Test
    void aReaderThatLeavesClosesTheSourceOnce() throws IOException {
        Streams.Endless endless = new Streams.Endless(1000);
        listen(endless);
        client.exactly(100_000);
        client.close();
        await().untilAtomic(endless.closed, equalTo(1));
        await().until(listener::openConnections, equalTo(0));
        assertThat(endless.closed).hasValue(1);
        assertThat(endless.pullsAfterClose).hasValue(0);
    }

    @Test
    void piecesMayComeFromAnyThreadAndInAnySize() throws IOException {
        AtomicInteger closed = new AtomicInteger();
        byte[] large = new byte[200_000];
        listen(
                new StreamSource() {
                    private int pulls;

                    @Override
                    public void pull(StreamSink sink) {
                        int pull = pulls++;
                        Runnable delivery =
                                () -> {
                                    if (pull >= 100) {
                                        sink.chunk(ascii("last"));
                                        sink.end();
                                        return;
                                    }
                                    for (int i = 0; i < pull; i++) {
                                        sink.chunk(ascii("a"), new byte[0], ascii("b"));
                                    }
                                    sink.chunk();
                                    sink.chunk(new byte[0]);
                                    if (pull % 10 == 0) {
                                        sink.chunk(ascii("large:"), large, ascii("\n"));
                                    }
                                    sink.more();
                                };
                        if (pull % 3 == 0) {
                            delivery.run();
                        } else {
                            pool.execute(delivery);
                        }
                    }

                    @Override
                    public void close() {
                        closed.incrementAndGet();
                    }
                });
        Answer answer = client.read();
        int small = 99 * 100 / 2;
        assertThat(answer.chunks()).isEqualTo(small + 10 + 1);
        assertThat(answer.body()).hasSize(2 * small + 10 * (large.length + 7) + 4);
        await().untilAtomic(closed, equalTo(1));
        get();
        assertThat(client.read().text()).isEqualTo("last");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void aSourceThatFailsCutsTheAnswerOff() throws IOException {
        AtomicInteger closed = new AtomicInteger();
        listen(
                new StreamSource() {
                    private int pulls;

                    @Override
                    public void pull(StreamSink sink) {
                        if (pulls++ == 2) {
                            throw new IllegalStateException("made to fail");
                        }
                        sink.chunk(ascii("x"));
                        sink.more();
                    }

                    @Override
                    public void close() {
                        closed.incrementAndGet();
                    }
                });
        String all = new String(client.upTo(10_000), StandardCharsets.US_ASCII);
        assertThat(all).startsWith("HTTP/1.1 200 OK").endsWith("1\r\nx\r\n1\r\nx\r\n");
        await().untilAtomic(closed, equalTo(1));
    }

    @Test
    void asManyStreamsAsThereIsRoomForAndNoMore() throws Exception {
        listen((request, exchange) -> exchange.stream(OK, new Streams.Endless(10_000)));
        long limit = HttpLimits.defaults().budgets().answerBytes() / 2 / HttpBudgets.STREAM_BYTES;
        List<RawClient> readers = new ArrayList<>();
        for (int i = 0; i < limit; i++) {
            RawClient reader = new RawClient(listener.port());
            reader.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            reader.exactly(1000);
            readers.add(reader);
        }
        get();
        Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("retry-after")).isEqualTo("1");
        for (RawClient reader : readers) {
            reader.close();
        }
    }
}
