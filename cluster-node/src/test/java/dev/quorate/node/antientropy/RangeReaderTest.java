package dev.quorate.node.antientropy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.RangeReader.Stretch;
import dev.quorate.router.Topologies;
import dev.quorate.router.message.ComparedRange;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** One question of another member is answered in bounded time, however much the range holds. */
class RangeReaderTest {

    private static final byte[] FIRST = {0};
    private static final Topology TWO = Topology.parse("n1=http://a:1,n2=http://b:1");

    private final MemoryStore store = new MemoryStore();

    private RangeReader reader(Ticker ticker) {
        CommonOwnership shared =
                new CommonOwnership(
                        Topologies.placement(new Ring(TWO)),
                        TWO.members().getFirst(),
                        TWO.members().getLast());
        return new RangeReader(store, shared, ticker, 7);
    }

    private static Stretch stretch(RangeReader reader, byte[] start) {
        return new SharedWalk().stretch(reader, start);
    }

    private static byte[] key(int number) {
        return "k%05d".formatted(number).getBytes(US_ASCII);
    }

    private void put(byte[] key, int valueBytes) {
        store.put(Entry.value(key, Timestamp.of(1, 0, 1), new byte[valueBytes], 2));
    }

    @Test
    void aStretchIsOfSoManyEntries() {
        for (int i = 0; i <= RangeReader.MAX_ENTRIES; i++) {
            put(key(i), 0);
        }
        RangeReader reader = reader(new ManualTime());
        Stretch stretch = stretch(reader, FIRST);
        assertThat(stretch.entries()).isEqualTo(RangeReader.MAX_ENTRIES);
        assertThat(stretch.end()).isEqualTo(key(RangeReader.MAX_ENTRIES));
        assertThat(stretch(reader, key(RangeReader.MAX_ENTRIES)).end()).isNull();
    }

    @Test
    void orOfSoManyBytes() {
        int megabyte = 1 << 20;
        for (int i = 0; i < 10; i++) {
            put(key(i), megabyte);
        }
        RangeReader reader = reader(new ManualTime());
        Stretch stretch = stretch(reader, FIRST);
        assertThat(stretch.end()).isEqualTo(key((int) (RangeReader.MAX_BYTES / megabyte)));
        assertThat(reader.bytesRead())
                .isBetween(RangeReader.MAX_BYTES, RangeReader.MAX_BYTES + megabyte);
    }

    @Test
    void orOfWhatIsReadInSuchATime() {
        for (int i = 0; i < 1_000; i++) {
            put(key(i), 0);
        }
        Stretch stretch = stretch(reader(new SlowDisk()), FIRST);
        assertThat(stretch.end()).isEqualTo(key(128));
    }

    @Test
    void aListIsOfSoManyEntriesAndBytes() {
        for (int i = 0; i < 64; i++) {
            put(Arrays.copyOf(key(i), 1 << 10), 0);
        }
        assertThat(compare(64)).isInstanceOf(ComparedRange.Listing.class);
        assertThat(compare(63)).isInstanceOf(ComparedRange.Parts.class);
        put(key(64), 0);
        assertThat(compare(1_000)).isInstanceOf(ComparedRange.Parts.class);
    }

    private ComparedRange compare(int listUpTo) {
        long wrongSum = 1;
        return reader(new ManualTime())
                .compare(
                        new ReplicaRequest.Compare(
                                TWO.members().getLast().number(),
                                7,
                                0,
                                wrongSum,
                                FIRST,
                                null,
                                listUpTo));
    }

    /** Between two looks at it half of the longest time passes. */
    private static final class SlowDisk implements Ticker {

        private long nanos;

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long nanos() {
            nanos += RangeReader.MAX_NANOS / 2;
            return nanos;
        }
    }
}
