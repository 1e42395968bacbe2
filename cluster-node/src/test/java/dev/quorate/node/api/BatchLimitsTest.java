package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.AddressCounts;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a batch does when its time or its memory is up. */
final class BatchLimitsTest {

    private static final QuorumSpec SPEC = new QuorumSpec(2, 3);
    private static final byte[] KEY = {'k'};
    private static final Timestamp VERSION = Timestamp.of(1_767_225_600_000L, 0, 1);
    private static final BatchLine GET = new BatchLine.Get(KEY, null);
    private static final BatchLine DELETE = new BatchLine.Write(KEY, null, null, null);

    private static final long OF_ADDRESS_BYTES = 10_000;

    private final ManualTime time = new ManualTime();
    private final AtomicInteger closed = new AtomicInteger();
    private final AddressCounts ofAddress = new AddressCounts(OF_ADDRESS_BYTES);

    /** The lines of the answer. */
    private List<String> answers(
            MemoryOperations operations, ByteBudget room, List<BatchLine> lines) {
        Taken taken = new Taken();
        closed.set(0);
        Batch.Context context = new Batch.Context(operations, room, ofAddress, Edge.answers(time));
        new Batch(
                        context,
                        new Batch.Request(SPEC, false, null, 0),
                        lines,
                        taken,
                        closed::incrementAndGet)
                .start();
        String text = taken.text.toString(StandardCharsets.UTF_8);
        assertThat(closed).hasValue(1);
        assertThat(room.usedBytes()).isZero();
        return text.lines().toList();
    }

    @Test
    void linesThatHaveNotBegunInTimeAreNotAttempted() {
        MemoryOperations slow =
                new MemoryOperations(
                        task -> {
                            time.advance(Duration.ofSeconds(6));
                            task.run();
                        });
        List<String> answers = answers(slow, new ByteBudget(1 << 20), Collections.nCopies(4, GET));
        assertThat(answers.subList(0, 2)).allMatch(line -> line.contains("\"status\":404"));
        assertThat(answers.subList(2, 4))
                .allMatch(line -> line.contains("\"status\":503"))
                .allMatch(line -> line.contains("Nothing was attempted"));
        assertThat(slow.reads).hasValue(2);
    }

    /** The batch ends, and is not counted as open for ever. */
    @Test
    void aBugFailsItsLineAlone() {
        MemoryOperations broken =
                new MemoryOperations(
                        task -> {
                            throw new IllegalStateException("planted");
                        });
        assertThat(answers(broken, new ByteBudget(1 << 20), List.of(GET, DELETE, GET)))
                .hasSize(3)
                .allMatch(line -> line.contains("\"status\":500"));
    }

    @Test
    void withoutMemoryAGetIsRefusedAndAWriteKeepsWhatItMust() {
        MemoryOperations operations = new MemoryOperations(Runnable::run);
        operations.entries.put(KEY, Entry.value(KEY, VERSION, new byte[100], 3));
        assertThat(answers(operations, new ByteBudget(99), List.of(GET)))
                .singleElement()
                .asString()
                .contains("\"status\":503");
        assertThat(answers(operations, new ByteBudget(100), List.of(GET)))
                .singleElement()
                .asString()
                .contains("\"status\":200");
        operations.forced =
                new Outcome.QuorumFailed(VERSION, List.of("n1"), List.of(), Explanation.NONE);
        assertThat(answers(operations, new ByteBudget(99), List.of(DELETE)))
                .containsExactly("{\"status\":504,\"version\":\"" + VERSION + "\"}");
        assertThat(answers(operations, new ByteBudget(9_999), List.of(DELETE)))
                .singleElement()
                .asString()
                .contains("\"accepted\":[\"n1\"]");
    }

    @Test
    void anAddressHasAShareOfTheMemory() {
        MemoryOperations operations = new MemoryOperations(Runnable::run);
        operations.entries.put(KEY, Entry.value(KEY, VERSION, new byte[6_000], 3));
        assertThat(ofAddress.tryAdd("other", 2 * OF_ADDRESS_BYTES))
                .as("one value, however long")
                .isTrue();
        assertThat(answers(operations, new ByteBudget(1 << 20), List.of(GET, GET)))
                .extracting(line -> line.contains("\"status\":503"))
                .containsExactly(false, true);
        assertThat(answers(operations, new ByteBudget(1 << 20), List.of(GET)))
                .as("what was sent is not counted any longer")
                .singleElement()
                .asString()
                .contains("\"status\":200");
    }

    /** Takes the whole stream at once. */
    private static final class Taken implements HttpExchange, HttpExchange.StreamSink {

        private final ByteArrayOutputStream text = new ByteArrayOutputStream();
        private @Nullable StreamSource source;

        @Override
        public void respond(HttpResponse response) {
            throw new AssertionError("not streamed: " + response);
        }

        @Override
        public void stream(HttpResponse head, StreamSource taken) {
            source = taken;
            taken.pull(this);
        }

        @Override
        public void chunk(byte[]... parts) {
            for (byte[] part : parts) {
                text.writeBytes(part);
            }
        }

        @Override
        public void more() {
            throw new AssertionError("too long for one delivery");
        }

        @Override
        public void end() {
            Objects.requireNonNull(source).close();
        }

        @Override
        public void abort() {
            throw new AssertionError("cut off");
        }
    }
}
