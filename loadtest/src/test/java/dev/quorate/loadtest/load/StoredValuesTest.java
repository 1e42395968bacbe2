package dev.quorate.loadtest.load;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredValuesTest {

    @Test
    void aValueBeginsWithTheNumberOfItsKey() {
        assertThat(StoredValues.key(42, 30)).isEqualTo("bench-30-00000042");
        assertThat(new String(StoredValues.value(42, 30), US_ASCII))
                .startsWith("00000042")
                .hasSize(30);
        assertThat(new String(StoredValues.value(12_345_678, 3), US_ASCII)).isEqualTo("678");
        assertThat(StoredValues.value(7, 0)).isEmpty();
        assertThat(StoredValues.value(1, 100)).isNotEqualTo(StoredValues.value(2, 100));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 100, 70_000, 200_000})
    void everyPieceOfAValueIsKnownAndNoOther(int bytes) {
        SplittableRandom random = new SplittableRandom(bytes);
        for (int number : new int[] {0, 7, 271_187, 9_999_999}) {
            byte[] value = StoredValues.value(number, bytes);
            assertThat(value).hasSize(bytes);
            ByteBuffer there = ByteBuffer.allocate(bytes + 3).put(3, value);
            assertThat(StoredValues.isPiece(number, bytes, 0, there, 3, bytes)).isTrue();
            for (int round = 0; bytes > 0 && round < 50; round++) {
                int at = random.nextInt(bytes);
                int count = 1 + random.nextInt(bytes - at);
                assertThat(StoredValues.isPiece(number, bytes, at, there, 3 + at, count)).isTrue();
                int changed = 3 + at + random.nextInt(count);
                there.put(changed, (byte) (there.get(changed) ^ 1));
                assertThat(StoredValues.isPiece(number, bytes, at, there, 3 + at, count)).isFalse();
                there.put(changed, (byte) (there.get(changed) ^ 1));
            }
        }
    }

    @Test
    void digitsAreAppended() {
        ByteBuffer digits = ByteBuffer.allocate(8);
        StoredValues.putDigits(90_210, digits);
        assertThat(new String(digits.array(), US_ASCII)).isEqualTo("00090210");
    }

    @Test
    void aRangeEndsBehindTheLastKeyAndBeforeKeysOfAnotherSize() {
        assertThat(StoredValues.rangeEnd(100))
                .isGreaterThan(StoredValues.key(99_999_999, 100))
                .isLessThan(StoredValues.key(0, 1_000));
    }
}
