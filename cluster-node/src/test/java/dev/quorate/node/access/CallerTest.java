package dev.quorate.node.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class CallerTest {

    private static byte[] key(int length, Random random) {
        byte[] key = new byte[length];
        for (int i = 0; i < length; i++) {
            key[i] = (byte) (random.nextInt(3) - 1); // 0xFF, 0 and 1
        }
        return key;
    }

    private static boolean isIn(byte[] key, byte[] start, byte @Nullable [] end) {
        return Arrays.compareUnsigned(key, start) >= 0
                && (end == null || Arrays.compareUnsigned(key, end) < 0);
    }

    /** A range that is allowed has no key that is not. */
    @Test
    void anAllowedRangeHasNoOtherKeys() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int allowed = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] prefix = key(random.nextInt(3), random);
            Caller caller = new Caller("a", Role.READ, prefix);
            byte[] start = key(1 + random.nextInt(3), random);
            byte[] end = random.nextInt(3) == 0 ? null : key(1 + random.nextInt(3), random);
            byte[] probe = key(1 + random.nextInt(4), random);
            if (caller.mayUse(start, end) && isIn(probe, start, end)) {
                allowed++;
                assertThat(caller.mayUse(probe)).as("seed %d", seed).isTrue();
            }
        }
        assertThat(allowed).isGreaterThan(1_000);
    }

    @Test
    void theRangeOfItsPrefixIsAllowed() {
        Caller caller = new Caller("a", Role.READ, new byte[] {'p', -1});
        assertThat(caller.mayUse(new byte[] {'p', -1}, new byte[] {'q'})).isTrue();
        assertThat(caller.mayUse(new byte[] {'p', -1}, null)).isFalse();
        assertThat(caller.mayUse(new byte[] {'p'}, new byte[] {'q'})).isFalse();
        assertThat(caller.mayUse(new byte[] {'p', -1}, new byte[] {'q', 0})).isFalse();
        Caller last = new Caller("a", Role.READ, new byte[] {-1});
        assertThat(last.mayUse(new byte[] {-1}, null)).isTrue();
        assertThat(Caller.ANYBODY.mayUse(new byte[] {0}, null)).isTrue();
    }
}
