package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Tasks of one repair, on an executor that a test holds back. */
class SerialExecutorTest {

    private static final int MAX_TASKS = 3;

    private final ManualTime time = new ManualTime();
    private final Deque<Runnable> submitted = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private boolean busy;
    private final SerialExecutor serial = new SerialExecutor(this::submit, time, MAX_TASKS);

    private void submit(Runnable task) {
        if (busy) {
            throw new RejectedExecutionException("busy");
        }
        submitted.add(task);
    }

    @Test
    void oneTaskRunsAtATimeInTheirOrder() {
        serial.execute(() -> done.add("a"));
        serial.execute(() -> done.add("b"));
        assertThat(submitted).hasSize(1);
        submitted.remove().run();
        assertThat(done).containsExactly("a");
        assertThat(submitted).hasSize(1);
        submitted.remove().run();
        assertThat(done).containsExactly("a", "b");
        assertThat(submitted).isEmpty();
        serial.execute(() -> done.add("c"));
        submitted.remove().run();
        assertThat(done).containsExactly("a", "b", "c");
    }

    @Test
    void whereNoThreadIsFreeItTriesAgain() {
        busy = true;
        serial.execute(() -> done.add("a"));
        busy = false;
        assertThat(submitted).isEmpty();
        time.advanceMillis(50);
        submitted.remove().run();
        assertThat(done).containsExactly("a");
    }

    @Test
    void aTaskThatFailsDoesNotKeepOthersFromRunning() {
        serial.execute(
                () -> {
                    throw new IllegalStateException("a bug");
                });
        serial.execute(() -> done.add("b"));
        submitted.remove().run();
        submitted.remove().run();
        assertThat(done).containsExactly("b");
    }

    @Test
    void moreTasksThanMayWaitAreRefused() {
        for (int i = 0; i < MAX_TASKS; i++) {
            serial.execute(() -> done.add("a"));
        }
        assertThatThrownBy(() -> serial.execute(() -> done.add("b")))
                .isInstanceOf(RejectedExecutionException.class);
        submitted.remove().run();
        serial.execute(() -> done.add("b"));
        while (!submitted.isEmpty()) {
            submitted.remove().run();
        }
        assertThat(done).containsExactly("a", "a", "a", "b");
    }
}
