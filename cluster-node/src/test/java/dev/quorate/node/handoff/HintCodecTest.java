package dev.quorate.node.handoff;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.MalformedException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class HintCodecTest {

    private static final Timestamp TIMESTAMP = new Timestamp(0x0102030405060708L, 0x0A0B0C0D);
    private static final Entry WRITE =
            Entry.expiring("key".getBytes(US_ASCII), TIMESTAMP, new byte[] {9, 8}, 3, 0x1112);

    /** Hints of one version are read by the next: these bytes never change. */
    @Test
    void theBytesAreThoseOfVersionOne() {
        Entry hint = HintCodec.encode("n2", WRITE, 77);
        assertThat(HexFormat.of().formatHex(hint.key())).isEqualTo("6e32006b6579");
        assertThat(HexFormat.of().formatHex(hint.value()))
                .isEqualTo("0101020301020304050607080a0b0c0d036b6579000000000000111202" + "0908");
        assertThat(hint.timestamp()).isEqualTo(TIMESTAMP);
        assertThat(hint.expiresAtMillis()).isEqualTo(77);
        assertThat(HintCodec.decode(hint)).isEqualTo(WRITE);
        assertThat(HintCodec.target(hint.key())).isEqualTo("n2");
        assertThat(HintCodec.sizeOf(hint)).isEqualTo(HintCodec.sizeOf("n2", WRITE));
    }

    @Test
    void otherEntriesAreNotReadAsHints() {
        Entry hint = HintCodec.encode("n2", WRITE, 77);
        for (int length = 0; length < hint.value().length; length++) {
            byte[] cut = Arrays.copyOf(hint.value(), length);
            assertThatThrownBy(
                            () ->
                                    HintCodec.decode(
                                            Entry.value(hint.key(), hint.timestamp(), cut, 3)))
                    .isInstanceOf(MalformedException.class);
        }
        assertThatThrownBy(
                        () ->
                                HintCodec.decode(
                                        Entry.value(
                                                HintCodec.start("n2"),
                                                hint.timestamp(),
                                                hint.value(),
                                                3)))
                .isInstanceOf(MalformedException.class);
    }

    /** All hints of a target are one range, and no others are in it. */
    @Test
    void theRangesOfTargetsDoNotTouch() {
        byte[] inside = HintCodec.encode("n1", WRITE, 77).key();
        assertThat(Arrays.compareUnsigned(HintCodec.start("n1"), inside)).isNegative();
        assertThat(Arrays.compareUnsigned(inside, HintCodec.end("n1"))).isNegative();
        byte[] other = HintCodec.encode("n10", WRITE, 77).key();
        assertThat(Arrays.compareUnsigned(HintCodec.end("n1"), other)).isNegative();
    }

    @Test
    void aHintOfAnotherFormatOrKeyIsRefused() {
        Entry hint = HintCodec.encode("n2", WRITE, 77);
        byte[] nextFormat = hint.value().clone();
        nextFormat[0]++;
        assertThatIsNoHint(Entry.value(hint.key(), TIMESTAMP, nextFormat, 3));
        byte[] longer = Arrays.copyOf(hint.value(), hint.value().length + 1);
        assertThatIsNoHint(Entry.value(hint.key(), TIMESTAMP, longer, 3));
        Timestamp later = new Timestamp(TIMESTAMP.hybrid() + 1, TIMESTAMP.node());
        assertThatIsNoHint(Entry.value(hint.key(), later, hint.value(), 3));
        assertThatIsNoHint(Entry.value(new byte[] {'n', '2'}, TIMESTAMP, hint.value(), 3));
    }

    private static void assertThatIsNoHint(Entry entry) {
        assertThatThrownBy(() -> HintCodec.decode(entry)).isInstanceOf(MalformedException.class);
    }

    /** The store refuses a key that is longer, and with it the write of the hint. */
    @Test
    void aWriteFitsIfItsHintsKeyIsNoLongerThanAKeyMayBe() {
        int longest = Entry.MAX_KEY_BYTES - "n2".length() - 1;
        Entry fits = Entry.tombstone(new byte[longest], TIMESTAMP, 3);
        assertThat(HintCodec.fits("n2", fits)).isTrue();
        assertThat(HintCodec.encode("n2", fits, 77).key()).hasSize(Entry.MAX_KEY_BYTES);
        Entry tooLong = Entry.tombstone(new byte[longest + 1], TIMESTAMP, 3);
        assertThat(HintCodec.fits("n2", tooLong)).isFalse();
    }

    @Test
    void theRemovalOfAHintIsNoNewerThanTheHint() {
        Entry hint = HintCodec.encode("n2", WRITE, 77);
        assertThat(HintCodec.removal(hint))
                .isEqualTo(Entry.tombstone(hint.key(), TIMESTAMP, WRITE.from()));
        assertThat(KeyRange.after(hint.key()))
                .isEqualTo(HintCodec.key("n2", "key\0".getBytes(US_ASCII)));
    }
}
