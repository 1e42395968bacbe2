package dev.quorate.router.coordinator.operation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.ManualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deferred repairs: each key once, and not too many at a time. */
class DeferredReadRepairsTest {

    private static final int MAX_RUNNING = 4;
    private static final int MAX_QUEUED = 1_024;

    private final ManualTime time = new ManualTime();
    private final List<String> started = new ArrayList<>();
    private final Deque<Runnable> running = new ArrayDeque<>();
    private final DeferredReadRepairs repairs =
            new DeferredReadRepairs(
                    time,
                    (key, from, whenDone) -> {
                        started.add(new String(key, US_ASCII) + " of " + from);
                        running.add(whenDone);
                    });

    private void enqueue(String key) {
        repairs.enqueue(key.getBytes(US_ASCII), 3);
    }

    @Test
    void aKeyIsRepairedOnceAndLater() {
        enqueue("a");
        enqueue("a");
        time.advanceMillis(249);
        assertThat(started).isEmpty();
        time.advanceMillis(1);
        assertThat(started).containsExactly("a of 3");
        running.remove().run();
        time.advanceMillis(5_000);
        assertThat(started).hasSize(1);
        enqueue("a");
        time.advanceMillis(250);
        assertThat(started).containsExactly("a of 3", "a of 3");
        assertThat(repairs.started()).isEqualTo(2);
        assertThat(repairs.dropped()).isZero();
    }

    /** A repair of the first replica says nothing of the others. */
    @Test
    void aKeyIsRepairedForEachNumberOfOwners() {
        repairs.enqueue("a".getBytes(US_ASCII), 1);
        enqueue("a");
        time.advanceMillis(250);
        assertThat(started).containsExactly("a of 1", "a of 3");
    }

    @Test
    void noMoreRunThanMay() {
        for (int i = 0; i < MAX_RUNNING + 2; i++) {
            enqueue("k" + i);
        }
        time.advanceMillis(5_000);
        assertThat(started).hasSize(MAX_RUNNING);
        running.remove().run();
        time.advanceMillis(250);
        assertThat(started).hasSize(MAX_RUNNING + 1);
        while (!running.isEmpty()) {
            running.remove().run();
        }
        time.advanceMillis(250);
        assertThat(started).hasSize(MAX_RUNNING + 2).doesNotHaveDuplicates();
    }

    @Test
    void keysThatDoNotFitAreDroppedAndCounted() {
        for (int i = 0; i < MAX_QUEUED + 2; i++) {
            enqueue("k" + i);
        }
        assertThat(repairs.dropped()).isEqualTo(2);
        for (int i = 0; i < MAX_QUEUED; i++) {
            time.advanceMillis(250);
            while (!running.isEmpty()) {
                running.remove().run();
            }
        }
        assertThat(repairs.started()).isEqualTo(MAX_QUEUED);
    }
}
