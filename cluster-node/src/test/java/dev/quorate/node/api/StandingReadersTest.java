package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.budget.HttpBudgets;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.node.http.parse.ParserTranscript;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Readers of ranges that stop reading, and others who want their places. */
final class StandingReadersTest {

    private static final int PLACES = 2;
    private static final HttpLimits LIMITS =
            HttpLimits.defaults().withBudgets(16 << 20, 2L * PLACES * HttpBudgets.STREAM_BYTES);

    /** Together more than the kernel takes for one connection. */
    private static final int ENTRIES = 600;

    private static final byte[] VALUE = new byte[64_000];
    private static final int PIECE_BYTES = 1 << 16;
    private static final String LAST_CHUNK = "0\r\n\r\n";

    private static final String RANGE =
            "GET /v0/entities?start=a HTTP/1.1|Host: x|Connection: close||";

    private final ManualTime time = new ManualTime();
    private final List<RawClient> clients = new ArrayList<>();
    private Edge edge;

    @BeforeEach
    void start() throws IOException {
        edge = Edge.start(LIMITS, time);
        edge.operations.batchEntries = 4;
        for (int i = 0; i < ENTRIES; i++) {
            byte[] key = "key%03d".formatted(i).getBytes(StandardCharsets.US_ASCII);
            Timestamp timestamp = Timestamp.of(1_767_225_600_000L, 0, 1);
            edge.operations.entries.put(key, Entry.value(key, timestamp, VALUE, 3));
        }
    }

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        await().until(edge.listener::openConnections, equalTo(0));
        await().untilAtomic(edge.operations.openScans, equalTo(0));
        assertThat(edge.listener.outputBytes()).isZero();
        edge.close();
    }

    private RawClient client() throws IOException {
        RawClient client = edge.client();
        clients.add(client);
        return client;
    }

    /** Asks for a range, and reads nothing of it. */
    private RawClient standing() throws IOException {
        RawClient client = asking(RANGE);
        settle();
        return client;
    }

    /** Waits until the kernel takes nothing more of anything. */
    private void settle() {
        AtomicReference<Long> last = new AtomicReference<>(0L);
        await().pollInterval(Duration.ofMillis(200))
                .until(
                        () -> {
                            long now = edge.listener.statistics().bytesWritten.sum();
                            return now > 0 && last.getAndSet(now) == now;
                        });
    }

    /** Lets time pass in which no client reads. The kernel may find a little more room, once. */
    private void standFor(Duration time) {
        this.time.advance(Duration.ofMillis(500));
        settle();
        this.time.advance(time);
    }

    private RawClient asking(String request) throws IOException {
        return client().send(ParserTranscript.bytes(request));
    }

    /** Reads on to the end of the connection, and says how many bytes that were. */
    private static long readOn(RawClient reader) throws IOException {
        long bytes = 0;
        String end = "";
        byte[] piece;
        do {
            piece = reader.upTo(PIECE_BYTES);
            bytes += piece.length;
            end += new String(piece, StandardCharsets.US_ASCII);
            end = end.substring(Math.max(0, end.length() - LAST_CHUNK.length()));
        } while (piece.length > 0);
        assertThat(end).isEqualTo(LAST_CHUNK);
        return bytes;
    }

    private static void assertServed(RawClient reader) throws IOException {
        assertThat(readOn(reader)).isGreaterThan((long) ENTRIES * VALUE.length);
    }

    @Test
    void theClientThatHasNotReadForLongestLosesItsPlace() throws IOException {
        RawClient first = standing();
        standFor(Duration.ofSeconds(5));
        RawClient second = standing();
        assertServed(asking(RANGE));
        assertThat(edge.listener.statistics().rejected(Rejection.DEADLINE)).isEqualTo(1);
        assertThatThrownBy(() -> readOn(first)).isInstanceOf(IOException.class);
        assertServed(second); // It goes on where it stood.
    }

    @Test
    void whileAllClientsReadANewOneIsRefused() throws IOException {
        for (int i = 0; i < PLACES; i++) {
            standing();
        }
        Answer refused = asking(RANGE).read();
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("retry-after")).isEqualTo("1");
        assertThat(edge.listener.statistics().rejected(Rejection.BYTES)).isEqualTo(1);
        assertThat(edge.listener.statistics().rejected(Rejection.DEADLINE)).isZero();
        standFor(Duration.ofMillis(1_500));
        assertServed(asking(RANGE));
        assertThat(edge.listener.statistics().rejected(Rejection.DEADLINE)).isEqualTo(1);
    }

    /** All places but one are free: it is the address that has its share. */
    @Test
    void anAddressHasItsShareOfThePlaces() throws IOException {
        edge.close();
        edge = withShares(1);
        RawClient first = standing();
        Answer refused = asking(RANGE).read();
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("retry-after")).isEqualTo("1");
        assertThat(refused.text()).contains("This address has as many ranges open", "may, 1.");
        assertThat(edge.refusedRanges).hasValue(1);
        assertThat(edge.operations.openScans).as("before any work").hasValue(1);
        assertServed(first);
        assertServed(asking(RANGE));
    }

    @Test
    void withinAnAddressAClientThatDoesNotReadLosesItsPlace() throws IOException {
        edge.close();
        edge = withShares(1);
        RawClient first = standing();
        standFor(Duration.ofSeconds(5));
        assertServed(asking(RANGE));
        assertThatThrownBy(() -> readOn(first)).isInstanceOf(IOException.class);
        assertThat(edge.refusedRanges).hasValue(0);
    }

    /** However a range ends, its address gets the place back. */
    @Test
    void anEndedRangeIsNoLongerItsAddresss() throws IOException {
        edge.close();
        edge = withShares(1);
        for (int i = 0; i < 5; i++) {
            standing().breakOff();
            await().untilAtomic(edge.operations.openScans, equalTo(0));
            await().until(edge.listener::openConnections, equalTo(0));
        }
        edge.operations.batchesUntilFailure = 0;
        assertThat(asking(RANGE).read().status()).isEqualTo(504);
        edge.operations.batchesUntilFailure = Integer.MAX_VALUE;
        assertThat(asking(RANGE.replace("GET", "HEAD")).read(true).status()).isEqualTo(200);
        assertServed(asking(RANGE));
        assertThat(edge.refusedRanges).hasValue(0);
    }

    private Edge withShares(int rangesPerAddress) throws IOException {
        Edge limited = Edge.start(LIMITS, time, rangesPerAddress);
        limited.operations.batchEntries = edge.operations.batchEntries;
        limited.operations.entries.putAll(edge.operations.entries);
        return limited;
    }

    @Test
    void aClientThatDoesNotReadLosesItsPlaceOnlyToAnother() throws IOException {
        RawClient first = standing();
        time.advance(Duration.ofSeconds(20));
        RawClient second = standing();
        assertThat(edge.listener.statistics().rejected(Rejection.DEADLINE)).isZero();
        assertServed(first);
        assertServed(second);
    }

    /**
     * Some four megabytes before, all of which had to be sent before a reader was seen to stand.
     */
    @Test
    @EnabledOnOs(OS.LINUX)
    void theKernelBuffersLittleForAClientThatDoesNotRead() throws IOException {
        RawClient client = standing();
        assertThat(edge.listener.statistics().bytesWritten.sum()).isLessThan(1 << 20);
        assertServed(client);
    }

    @Test
    void aReadingClientDoesNotLoseItsPlace() throws IOException {
        List<RawClient> readers = new ArrayList<>();
        for (int i = 0; i < PLACES; i++) {
            readers.add(standing());
        }
        time.advance(Duration.ofSeconds(2));
        for (RawClient reader : readers) {
            for (int i = 0; i < 128; i++) {
                reader.exactly(PIECE_BYTES);
            }
        }
        settle();
        assertThat(asking(RANGE).read().status()).isEqualTo(503);
        for (RawClient reader : readers) {
            readOn(reader);
        }
        assertThat(edge.listener.statistics().rejected(Rejection.DEADLINE)).isZero();
    }

    @Test
    void aRefusedClientCostsNothingAndADeadOneIsRemovedAtOnce() throws IOException {
        List<RawClient> readers = new ArrayList<>();
        for (int i = 0; i < PLACES; i++) {
            readers.add(standing());
        }
        edge.operations.batchesUntilFailure = 0;
        assertThat(asking(RANGE).read().status()).as("before anything is read").isEqualTo(503);
        assertThat(edge.observed).contains("SCAN 503");
        edge.operations.batchesUntilFailure = Integer.MAX_VALUE;
        await().untilAtomic(edge.operations.openScans, equalTo(PLACES));
        for (RawClient reader : readers) {
            reader.breakOff();
        }
        await().untilAtomic(edge.operations.openScans, equalTo(0));
        assertThat(edge.listener.outputBytes()).isZero();
        assertServed(asking(RANGE));
    }

    @Test
    void aFailedRangeReleasesItsPlace() throws IOException {
        edge.operations.batchesUntilFailure = 0;
        for (int i = 0; i < 3 * PLACES; i++) {
            assertThat(asking(RANGE).read().status()).isEqualTo(504);
        }
        edge.operations.batchesUntilFailure = Integer.MAX_VALUE;
        for (int i = 0; i < 3 * PLACES; i++) {
            assertThat(asking(RANGE.replace("GET", "HEAD")).read(true).status()).isEqualTo(200);
        }
        assertThat(edge.listener.outputBytes()).isZero();
    }
}
