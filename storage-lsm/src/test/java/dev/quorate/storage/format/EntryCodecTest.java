package dev.quorate.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Entries round-trip, and malformed bytes are rejected with a typed error. */
class EntryCodecTest {

    @Test
    void roundTripsEveryKindOfEntry() {
        long seed = 20_261_121;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 2_000; i++) {
            Entry entry = randomEntry(random);
            ByteBuffer bytes = encoded(entry);

            assertThat(EntryCodec.decode(bytes)).as("seed %d", seed).isEqualTo(entry);
            assertThat(bytes.hasRemaining()).isFalse();
        }
    }

    @Test
    void theEncodingIsPinned() {
        Entry value =
                Entry.expiring(
                        new byte[] {'k'},
                        new Timestamp(0x0102030405060708L, 0x0A0B0C0D),
                        new byte[] {'v', 'w'},
                        3,
                        0x1122334455667788L);
        Entry tombstone = Entry.tombstone(new byte[] {'k'}, new Timestamp(-1, -2), 255);

        assertThat(hex(value))
                .isEqualTo(
                        "010203"
                                + "0102030405060708"
                                + "0a0b0c0d"
                                + "016b"
                                + "1122334455667788"
                                + "027677");
        assertThat(hex(tombstone)).isEqualTo("0101ff" + "ffffffffffffffff" + "fffffffe" + "016b");
    }

    @Test
    void theStepFollowsTheNode() {
        Timestamp timestamp = new Timestamp(0x0102030405060708L, 0x0A0B0C0D, 0x0102030405060709L);
        Entry value =
                Entry.expiring(
                        new byte[] {'k'}, timestamp, new byte[] {'v'}, 3, 0x1122334455667788L);
        Entry tombstone = Entry.tombstone(new byte[] {'k'}, timestamp, 255);

        assertThat(hex(value))
                .isEqualTo(
                        "010603"
                                + "0102030405060708"
                                + "0a0b0c0d"
                                + "0102030405060709"
                                + "016b"
                                + "1122334455667788"
                                + "0176");
        assertThat(hex(tombstone))
                .isEqualTo(
                        "0105ff" + "0102030405060708" + "0a0b0c0d" + "0102030405060709" + "016b");
    }

    @Test
    void theContentTypeFollowsTheExpiry() {
        Timestamp timestamp = new Timestamp(0x0102030405060708L, 0x0A0B0C0D);
        Entry value = Entry.value(new byte[] {'k'}, timestamp, new byte[] {'v'}, 3);
        Entry expiring =
                Entry.expiring(
                        new byte[] {'k'}, timestamp, new byte[] {'v'}, 3, 0x1122334455667788L);
        String before = "0102030405060708" + "0a0b0c0d" + "016b";
        String type = "03612f62";

        assertThat(hex(value.withContentType("a/b"))).isEqualTo("010803" + before + type + "0176");
        assertThat(hex(expiring.withContentType("a/b")))
                .isEqualTo("010a03" + before + "1122334455667788" + type + "0176");
    }

    /** A line end in it would be one in the head of an answer. */
    @Test
    void aContentTypeThatIsNotPrintableAsciiIsRejected() {
        String before = "010801" + "0000000000000005" + "00000000" + "016b";
        for (String type : new String[] {"00", "030d0a61", "027f61", "0180", "0119"}) {
            ByteBuffer buffer = ByteBuffer.wrap(HexFormat.of().parseHex(before + type + "0176"));
            assertThatThrownBy(() -> EntryCodec.decode(buffer))
                    .isInstanceOf(MalformedException.class)
                    .hasMessageContaining("content type");
        }
        ByteBuffer tombstone =
                ByteBuffer.wrap(HexFormat.of().parseHex("0109" + before.substring(4)));
        assertThatThrownBy(() -> EntryCodec.decode(tombstone))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("flags");
    }

    /** It would be younger in the order than by age. */
    @Test
    void aStepThatIsNotAfterItsRootIsRejected() {
        for (String step : new String[] {"0000000000000000", "0000000000000005"}) {
            String bytes = "010501" + "0000000000000005" + "00000000" + step + "016b";
            ByteBuffer buffer = ByteBuffer.wrap(HexFormat.of().parseHex(bytes));
            assertThatThrownBy(() -> EntryCodec.decode(buffer))
                    .isInstanceOf(MalformedException.class)
                    .hasMessageContaining("step");
        }
    }

    @Test
    void everyTruncationIsRejected() {
        Entry entry =
                Entry.expiring(new byte[200], new Timestamp(1, 2, 3), new byte[300], 1, 99)
                        .withContentType("text/plain");
        byte[] bytes = encoded(entry).array();
        for (int length = 0; length < bytes.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length);
            assertThatThrownBy(() -> EntryCodec.decode(cut)).isInstanceOf(MalformedException.class);
        }
    }

    @Test
    void randomBytesDecodeToAnEntryOrATypedError() {
        long seed = 42;
        SplittableRandom random = new SplittableRandom(seed);
        int entries = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = encoded(randomEntry(random)).array();
            int flips = random.nextInt(4);
            for (int flip = 0; flip < flips; flip++) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            try {
                Entry entry = EntryCodec.decode(buffer);
                // The encoding is canonical: a decoded entry encodes to the same bytes.
                assertThat(encoded(entry).array())
                        .as("seed %d", seed)
                        .isEqualTo(Arrays.copyOf(bytes, buffer.position()));
                entries++;
            } catch (MalformedException expected) {
                assertThat(expected).hasMessageMatching(".+");
            }
        }
        assertThat(entries).isBetween(1, 99_999);
    }

    @Test
    void varintsHaveMinimalLength() {
        int[] values = {0, 1, 127, 128, 16_383, 16_384, 1 << 21, (1 << 28) - 1, 1 << 28};
        for (int value : values) {
            ByteBuffer bytes = ByteBuffer.allocate(Varint.MAX_INT_BYTES);
            Varint.put(value, bytes);
            assertThat(bytes.position()).isEqualTo(Varint.sizeOf(value));
            assertThat(Varint.get(bytes.flip())).isEqualTo(value);
        }
        assertThat(Varint.sizeOf(Integer.MAX_VALUE)).isEqualTo(Varint.MAX_INT_BYTES);
        for (String bad : new String[] {"", "80", "8000", "ffffffff08", "ffffffffff01"}) {
            ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(bad));
            assertThatThrownBy(() -> Varint.get(bytes)).isInstanceOf(MalformedException.class);
        }
    }

    private static Entry randomEntry(SplittableRandom random) {
        byte[] key = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 1_000 : 20)];
        random.nextBytes(key);
        Timestamp timestamp = new Timestamp(random.nextLong(), random.nextInt());
        long step = random.nextLong();
        if (random.nextBoolean() && Timestamp.isStep(timestamp.hybrid(), step)) {
            timestamp = timestamp.withStep(step);
        }
        byte[] value = new byte[random.nextInt(random.nextInt(10) == 0 ? 20_000 : 200)];
        random.nextBytes(value);
        int from = random.nextInt(256);
        String type = random.nextInt(3) == 0 ? "~".repeat(1 + random.nextInt(255)) : null;
        return switch (random.nextInt(3)) {
            case 0 -> Entry.tombstone(key, timestamp, from);
            case 1 ->
                    Entry.expiring(
                                    key,
                                    timestamp,
                                    value,
                                    from,
                                    1 + random.nextLong(Long.MAX_VALUE - 1))
                            .withContentType(type);
            default -> Entry.value(key, timestamp, value, from).withContentType(type);
        };
    }

    private static ByteBuffer encoded(Entry entry) {
        ByteBuffer bytes = ByteBuffer.allocate(EntryCodec.encodedSize(entry));
        EntryCodec.encode(entry, bytes);
        assertThat(bytes.hasRemaining()).isFalse();
        return bytes.flip();
    }

    private static String hex(Entry entry) {
        return HexFormat.of().formatHex(encoded(entry).array());
    }
}
