package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.coordinator.range.ScanRange;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a range delivers at once is what was reserved for it, whatever it looks like when sent. */
class EntityStreamTest {

    private static final int[] VALUE_BYTES = {0, 1, 100, 16 << 10, 64 << 10};

    private final MemoryOperations operations = new MemoryOperations(Runnable::run);

    private List<Delivered> read(EntityFormat format) {
        Taken taken = new Taken();
        QuorumSpec spec = new QuorumSpec(2, 3);
        RangeRequest range =
                new RangeRequest(
                        new ScanRange(new byte[1], null, KeyOrder.ASCENDING, false),
                        spec,
                        ScanScope.CLUSTER,
                        Long.MAX_VALUE,
                        format,
                        false,
                        null,
                        null,
                        null);
        EntityStream stream =
                new EntityStream(
                        operations.scan(range.range(), spec, ScanScope.CLUSTER, null),
                        range,
                        taken,
                        Edge.answers(new ManualTime()),
                        0);
        stream.start();
        List<Delivered> all = new ArrayList<>();
        do {
            all.add(new Delivered());
            Objects.requireNonNull(taken.source).pull(all.getLast());
        } while (!all.getLast().isLast);
        return all;
    }

    private void put(int entries, int valueBytes) {
        operations.entries.clear();
        for (int i = 0; i < entries; i++) {
            byte[] key = {1, (byte) (i >> 16), (byte) (i >> 8), (byte) i};
            Timestamp timestamp = Timestamp.of(1_767_225_600_000L, 0, 1);
            operations.entries.put(key, Entry.value(key, timestamp, new byte[valueBytes], 3));
        }
        operations.batchEntries = entries;
    }

    /** Base64 takes a third more than what it says; a name and a version, more than a short key. */
    @ParameterizedTest
    @EnumSource
    void noMoreIsDeliveredAtOnceThanWasReserved(EntityFormat format) {
        for (int valueBytes : VALUE_BYTES) {
            int entries = Math.min(40_000, (2 << 20) / Math.max(valueBytes, 1));
            put(entries, valueBytes);
            List<Delivered> all = read(format);
            assertThat(all.stream().mapToInt(delivered -> delivered.chunks).sum())
                    .isEqualTo(entries + endChunks(format));
            assertThat(all)
                    .as("%,d bytes a value", valueBytes)
                    .allMatch(each -> each.bytes <= StreamSink.DELIVERY_BYTES);
            // Nor much less, or the same would be read again and again.
            assertThat(all.size())
                    .isLessThan(2 + 2 * (int) (total(all) / StreamSink.DELIVERY_BYTES));
        }
    }

    /** An array has an end. */
    private static int endChunks(EntityFormat format) {
        return format == EntityFormat.JSON ? 1 : 0;
    }

    private static long total(List<Delivered> all) {
        return all.stream().mapToLong(delivered -> delivered.bytes).sum();
    }

    @Test
    void aLargeAnswerIsSentAlone() {
        put(3, 1 << 20);
        for (EntityFormat format : EntityFormat.values()) {
            List<Delivered> all = read(format);
            assertThat(all.stream().map(each -> each.chunks))
                    .containsExactly(1, 1, 1, endChunks(format));
        }
    }

    /** What was delivered with one pull, with what says where chunks begin and end. */
    private static final class Delivered implements StreamSink {

        private int chunks;
        private long bytes;
        private boolean isLast;

        @Override
        public void chunk(byte[]... parts) {
            long size = 0;
            for (byte[] part : parts) {
                size += part.length;
            }
            chunks++;
            bytes += (Long.toHexString(size) + "\r\n").length() + size + "\r\n".length();
        }

        @Override
        public void more() {}

        @Override
        public void end() {
            isLast = true;
        }

        @Override
        public void abort() {
            throw new AssertionError("cut off");
        }
    }

    private static final class Taken implements HttpExchange {

        private @Nullable StreamSource source;

        @Override
        public void respond(HttpResponse response) {
            throw new AssertionError("refused: " + response);
        }

        @Override
        public void stream(HttpResponse head, StreamSource taken) {
            source = taken;
        }
    }
}
