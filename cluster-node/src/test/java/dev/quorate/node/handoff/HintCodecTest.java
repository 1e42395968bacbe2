package dev.quorate.node.handoff;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
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
    void whatIsNoHintIsNotRead() {
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
}
