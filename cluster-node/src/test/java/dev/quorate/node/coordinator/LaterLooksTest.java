package dev.quorate.node.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.clock.ManualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys to be looked at later: each of them, and not too many at once. */
class LaterLooksTest {

    private static final int AT_ONCE = 4;
    private static final int MOST_NOTED = 1_024;

    private final ManualTime time = new ManualTime();
    private final List<String> looked = new ArrayList<>();
    private final Deque<Runnable> underway = new ArrayDeque<>();
    private final LaterLooks looks =
            new LaterLooks(
                    time,
                    (key, from, whenDone) -> {
                        looked.add(new String(key, US_ASCII) + " of " + from);
                        underway.add(whenDone);
                    });

    private void note(String key) {
        looks.note(key.getBytes(US_ASCII), 3);
    }

    @Test
    void aKeyIsLookedAtOnceAndLater() {
        note("a");
        note("a");
        time.advanceMillis(249);
        assertThat(looked).isEmpty();
        time.advanceMillis(1);
        assertThat(looked).containsExactly("a of 3");
        underway.remove().run();
        time.advanceMillis(5_000);
        assertThat(looked).hasSize(1);
        note("a");
        time.advanceMillis(250);
        assertThat(looked).containsExactly("a of 3", "a of 3");
        assertThat(looks.taken()).isEqualTo(2);
        assertThat(looks.forgotten()).isZero();
    }

    @Test
    void noMoreAreUnderWayThanMayBe() {
        for (int i = 0; i < AT_ONCE + 2; i++) {
            note("k" + i);
        }
        time.advanceMillis(5_000);
        assertThat(looked).hasSize(AT_ONCE);
        underway.remove().run();
        time.advanceMillis(250);
        assertThat(looked).hasSize(AT_ONCE + 1);
        while (!underway.isEmpty()) {
            underway.remove().run();
        }
        time.advanceMillis(250);
        assertThat(looked).hasSize(AT_ONCE + 2).doesNotHaveDuplicates();
    }

    @Test
    void whatDoesNotFitIsForgottenAndCounted() {
        for (int i = 0; i < MOST_NOTED + 2; i++) {
            note("k" + i);
        }
        assertThat(looks.forgotten()).isEqualTo(2);
        for (int i = 0; i < MOST_NOTED; i++) {
            time.advanceMillis(250);
            while (!underway.isEmpty()) {
                underway.remove().run();
            }
        }
        assertThat(looks.taken()).isEqualTo(MOST_NOTED);
    }
}
