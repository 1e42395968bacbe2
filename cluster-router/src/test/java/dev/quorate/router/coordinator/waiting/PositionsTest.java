package dev.quorate.router.coordinator.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.waiting.Positions.Change;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PositionsTest {

    private static final byte[] PREFIX = {'a', '/'};

    private static Positions of(long... counts) {
        return new Positions(77, counts);
    }

    @Test
    void onlyAGrowingCountIsAChange() {
        Positions before = of(5, -1, Long.MAX_VALUE);
        assertThat(of(5, -1, Long.MAX_VALUE).since(before)).isEqualTo(Change.NONE);
        assertThat(of(6, -1, Long.MAX_VALUE).since(before)).isEqualTo(Change.SOME);
        assertThat(of(5, 1, Long.MIN_VALUE).since(before)).isEqualTo(Change.SOME);
        assertThat(of(4, -1, Long.MAX_VALUE).since(before)).isEqualTo(Change.UNKNOWN);
        assertThat(of(5L + Integer.MAX_VALUE, -1, Long.MAX_VALUE).since(before))
                .isEqualTo(Change.SOME);
        assertThat(of(6L + Integer.MAX_VALUE, -1, Long.MAX_VALUE).since(before))
                .isEqualTo(Change.UNKNOWN);
        assertThat(of(5, 0, Long.MAX_VALUE).since(before)).as("down").isEqualTo(Change.UNKNOWN);
        assertThat(of(5, 7).since(of(5, 0))).as("was down").isEqualTo(Change.UNKNOWN);
        assertThat(of(0, 7).since(of(0, 7))).as("is still down").isEqualTo(Change.UNKNOWN);
        assertThat(of(5, -1).since(before)).isEqualTo(Change.UNKNOWN);
        assertThat(new Positions(78, before.counts()).since(before)).isEqualTo(Change.UNKNOWN);
    }

    @Test
    void aTokenIsReadAsItWasWritten() {
        SplittableRandom random = new SplittableRandom(1);
        for (int members = 1; members <= 128; members++) {
            Positions positions = new Positions(random.nextLong(), random.longs(members).toArray());
            String token = positions.token(PREFIX);
            assertThat(token).matches("[A-Za-z0-9_-]+").hasSizeLessThan(1_400);
            Positions read = Objects.requireNonNull(Positions.parse(token, PREFIX));
            assertThat(read.topology()).isEqualTo(positions.topology());
            assertThat(read.counts()).isEqualTo(positions.counts());
        }
    }

    @Test
    void whatNoNodeMadeIsRefused() {
        String token = of(1, 2, 3).token(PREFIX);
        assertThat(Positions.parse(token, PREFIX)).isNotNull();
        assertThat(Positions.parse(token, new byte[0])).as("of another prefix").isNull();
        for (int i = 0; i < token.length(); i++) {
            assertThat(Positions.parse(token.substring(0, i), PREFIX)).isNull();
            for (char other : new char[] {'A', '-', '=', ' ', '%', '\u00e9', '+'}) {
                String damaged = token.substring(0, i) + other + token.substring(i + 1);
                assertThat(Positions.parse(damaged, PREFIX) == null || damaged.equals(token))
                        .as(damaged)
                        .isTrue();
            }
        }
        for (String text :
                List.of("", "new", "=", token + "=", token + token, "A".repeat(100_000))) {
            assertThat(Positions.parse(text, PREFIX)).as(text).isNull();
        }
        byte[] longer = Arrays.copyOf(Base64.getUrlDecoder().decode(token), 43);
        String text = Base64.getUrlEncoder().withoutPadding().encodeToString(longer);
        assertThat(Positions.parse(text, PREFIX)).isNull();
    }
}
