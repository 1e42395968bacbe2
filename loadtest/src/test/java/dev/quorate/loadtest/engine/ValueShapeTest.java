package dev.quorate.loadtest.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class ValueShapeTest {

    private static byte[] block(ValueShape shape) {
        TrialData data = new TrialData(100, shape);
        byte[] block = new byte[4_000];
        for (int i = 0; i < 40; i++) {
            System.arraycopy(data.value(i), 0, block, 100 * i, 100);
        }
        return block;
    }

    private static int deflated(byte[] bytes) {
        try (Deflater deflater = new Deflater()) {
            deflater.setInput(bytes);
            deflater.finish();
            return deflater.deflate(new byte[2 * bytes.length]);
        }
    }

    @Test
    void textCanBeCompressedAndRandomBytesCannot() {
        assertThat(deflated(block(ValueShape.RANDOM))).isGreaterThan(3_700);
        byte[] text = block(ValueShape.TEXT);
        assertThat(deflated(text)).isLessThan(2_000);
        assertThat(new String(Arrays.copyOfRange(text, 8, 100), US_ASCII)).contains("\":");
    }

    @Test
    void aValueContainsItsNumber() {
        for (ValueShape shape : ValueShape.values()) {
            byte[] value = new TrialData(100, shape).value(77);
            assertThat(value).hasSize(100);
            assertThat(TrialData.head(value)).isEqualTo(77);
        }
    }
}
