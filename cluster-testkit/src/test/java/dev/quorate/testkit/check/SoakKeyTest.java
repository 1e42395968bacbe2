package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.check.SoakKey.Written;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SoakKeyTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final SoakKey key = new SoakKey();

    private boolean mayRead(String value, long second) {
        return key.isPossible(value, "v-" + value, second * SECOND, second * SECOND);
    }

    private static Written write(String value, long second) {
        return new Written(value, "v-" + value, second * SECOND);
    }

    @Test
    void theLastAcknowledgedWriteIsRead() {
        assertThat(mayRead("", 0)).isTrue();
        key.acknowledged(write("a", 1));
        assertThat(mayRead("a", 2)).isTrue();
        assertThat(mayRead("", 2)).isFalse();
        key.acknowledged(write("b", 3));
        assertThat(mayRead("a", 4)).isFalse();
        key.acknowledged(write("", 5));
        assertThat(mayRead("b", 6)).isFalse();
        assertThat(mayRead("", 6)).isTrue();
    }

    @Test
    void anUndecidedWriteMayBeReadOrNotUntilItWasRead() {
        key.acknowledged(write("a", 1));
        key.undecided(write("b", 2));
        assertThat(key.isCertain()).isFalse();
        assertThat(mayRead("a", 3)).isTrue();
        assertThat(mayRead("b", 4)).isTrue();
        assertThat(mayRead("a", 5)).isFalse();
        assertThat(key.isCertain()).isTrue();
        assertThat(key.last().version()).isEqualTo("v-b");
    }

    @Test
    void anUndecidedDeletionMayHideAValue() {
        key.acknowledged(write("a", 1));
        key.undecided(write("", 2));
        assertThat(mayRead("", 3)).isTrue();
        assertThat(mayRead("a", 3)).isTrue();
    }

    @Test
    void aMuchLaterWriteEndsTheDoubt() {
        key.undecided(write("a", 1));
        key.acknowledged(write("b", 30));
        assertThat(key.isCertain()).isFalse();
        assertThat(mayRead("b", 31)).isTrue();
        key.acknowledged(write("c", 32));
        assertThat(key.isCertain()).isTrue();
        assertThat(mayRead("a", 33)).isFalse();
    }

    @Test
    void anExpiringValueIsReadUntilItMayExpireAndIsGoneAfterwards() {
        key.acknowledged(new Written("a", "v", SECOND, 10 * SECOND, 14 * SECOND));
        assertThat(key.isCertain()).isFalse();
        assertThat(mayRead("", 9)).isFalse();
        assertThat(mayRead("a", 9)).isTrue();
        assertThat(mayRead("a", 12)).isTrue();
        assertThat(mayRead("", 12)).isTrue();
        assertThat(mayRead("a", 15)).isFalse();
        assertThat(mayRead("", 15)).isTrue();
    }

    @Test
    void valuesDetermineAllOfTheirBytes() {
        for (boolean isLarge : new boolean[] {false, true}) {
            byte[] bytes = SoakClients.bytes("soak-1-2.3", isLarge);
            assertThat(SoakClients.name(bytes, isLarge)).isEqualTo("soak-1-2.3");
            bytes[bytes.length - 1]++;
            assertThat(SoakClients.name(bytes, isLarge)).startsWith("damaged");
        }
        assertThat(SoakClients.name(new byte[0], false)).startsWith("damaged");
    }
}
