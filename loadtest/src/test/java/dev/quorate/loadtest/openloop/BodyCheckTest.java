package dev.quorate.loadtest.openloop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Load.Api;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.Load.Requests;
import dev.quorate.loadtest.load.StoredValues;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BodyCheckTest {

    private static final int KEYS = 4;
    private static final int BYTES = 30;
    private static final int KEY = 2;

    private static boolean isRight(Operation operation, Api api, boolean isPut, byte[] body) {
        BodyCheck check = new BodyCheck(new Requests(operation, "2/3", api, KEYS, BYTES, 0));
        Asked asked = new Asked(0);
        asked.key = KEY;
        asked.isPut = isPut;
        boolean whole = false;
        for (int size = 1; size <= Math.max(1, body.length); size++) {
            check.begin(asked, true);
            ByteBuffer bytes = ByteBuffer.allocate(body.length + 5).put(5, body);
            for (int at = 0; at < body.length; at += size) {
                check.take(bytes, 5 + at, Math.min(size, body.length - at));
            }
            if (size > 1) {
                assertThat(check.isRight()).as("pieces of %s", size).isEqualTo(whole);
            }
            whole = check.isRight();
        }
        return whole;
    }

    private static boolean isRight(Operation operation, byte[] body) {
        return isRight(operation, Api.REPLICAS, false, body);
    }

    private static byte[] changed(byte[] body, int at) {
        byte[] other = body.clone();
        other[at] ^= 1;
        return other;
    }

    private static byte[] range(int keys) {
        ByteArrayOutputStream range = new ByteArrayOutputStream();
        for (int key = 0; key < keys; key++) {
            range.writeBytes((StoredValues.key(key, BYTES) + "\n").getBytes(US_ASCII));
            range.writeBytes(StoredValues.value(key, BYTES));
        }
        return range.toByteArray();
    }

    @ParameterizedTest
    @EnumSource(names = {"GET", "GET_ONCE", "MIXED"})
    void aKeyHasItsValueAndNoOther(Operation operation) {
        byte[] value = StoredValues.value(KEY, BYTES);
        assertThat(isRight(operation, value)).isTrue();
        for (int at = 0; at < BYTES; at++) {
            assertThat(isRight(operation, changed(value, at))).as("%s", at).isFalse();
        }
        assertThat(isRight(operation, StoredValues.value(KEY + 1, BYTES))).isFalse();
        assertThat(isRight(operation, Arrays.copyOf(value, BYTES - 1))).isFalse();
        assertThat(isRight(operation, Arrays.copyOf(value, BYTES + 1))).isFalse();
        assertThat(isRight(operation, new byte[0])).isFalse();
    }

    @Test
    void aRangeHasAllKeysWithTheirValues() {
        byte[] range = range(KEYS);
        assertThat(isRight(Operation.RANGE, range)).isTrue();
        for (int at = 0; at < range.length; at++) {
            assertThat(isRight(Operation.RANGE, changed(range, at))).as("%s", at).isFalse();
        }
        assertThat(isRight(Operation.RANGE, range(KEYS - 1))).isFalse();
        assertThat(isRight(Operation.RANGE, range(KEYS + 1))).isFalse();
    }

    @Test
    void theStaticAnswerHasItsLengthUnlessItIsAnothers() {
        assertThat(isRight(Operation.STATIC, new byte[BYTES])).isTrue();
        assertThat(isRight(Operation.STATIC, new byte[BYTES - 1])).isFalse();
        assertThat(isRight(Operation.STATIC, Api.ACK_FROM, false, new byte[2])).isTrue();
    }

    @Test
    void whatAWriteIsAnsweredWithIsNotLookedAt() {
        assertThat(isRight(Operation.PUT, new byte[3])).isTrue();
        assertThat(isRight(Operation.MIXED, Api.REPLICAS, true, new byte[3])).isTrue();
    }

    @Test
    void oneThatIsNotLookedAtIsRight() {
        BodyCheck check = new BodyCheck(Requests.of(Operation.GET, "2/3", KEYS, BYTES));
        check.begin(new Asked(0), false);
        check.take(ByteBuffer.allocate(7), 0, 7);
        assertThat(check.isRight()).isTrue();
    }
}
