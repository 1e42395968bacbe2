package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Each state in which a task can be asked for, one by one; {@link HandOverTest} has threads. */
class SerialTaskTest {

    private final Queue<Runnable> executor = new ArrayDeque<>();
    private int runs;
    private Runnable inside = () -> {};
    private final SerialTask task = task(executor::add);

    private SerialTask task(Executor where) {
        return new SerialTask(
                where,
                () -> {
                    runs++;
                    Runnable once = inside;
                    inside = () -> {};
                    once.run();
                });
    }

    private void runAll() {
        while (!executor.isEmpty()) {
            executor.remove().run();
        }
    }

    @Test
    void itRunsOnceHoweverOftenItWasAskedForBefore() {
        task.schedule();
        task.schedule();
        assertThat(executor).hasSize(1);
        assertThat(task.runNow()).as("somebody will").isFalse();
        runAll();
        assertThat(runs).isEqualTo(1);
        task.schedule();
        runAll();
        assertThat(runs).isEqualTo(2);
    }

    /** What was added while it ran may have come too late for that run. */
    @Test
    void askedForWhileItRunsItRunsOnceMore() {
        inside =
                () -> {
                    task.schedule();
                    task.schedule();
                    assertThat(task.runNow()).isFalse();
                    assertThat(task.tryRun()).isFalse();
                };
        task.schedule();
        runAll();
        assertThat(runs).isEqualTo(2);
        inside = task::schedule;
        assertThat(task.runNow()).isTrue();
        assertThat(runs).isEqualTo(4);
        assertThat(executor).isEmpty();
    }

    @Test
    void askedForWhileItFailsItRunsAgain() {
        inside =
                () -> {
                    task.schedule();
                    throw new IllegalStateException("failed");
                };
        task.schedule();
        assertThatThrownBy(this::runAll).hasMessage("failed");
        runAll();
        assertThat(runs).isEqualTo(2);
        inside =
                () -> {
                    throw new IllegalStateException("failed");
                };
        task.schedule();
        assertThatThrownBy(this::runAll).hasMessage("failed");
        assertThat(executor).isEmpty();
        task.schedule();
        runAll();
        assertThat(runs).isEqualTo(4);
    }

    @Test
    void whoeverTakesTheRunTakesItFromTheExecutor() {
        assertThat(task.tryRun()).isFalse();
        task.schedule();
        assertThat(task.tryRun()).isTrue();
        runAll();
        assertThat(runs).isEqualTo(1);
    }

    @Test
    void stoppedWhileItRunsItIsDoneAtTheEndOfThatRun() {
        inside =
                () -> {
                    task.schedule();
                    assertThat(task.stop()).isNotDone();
                    task.schedule();
                };
        task.schedule();
        runAll();
        assertThat(task.stop()).isDone();
        task.schedule();
        runAll();
        assertThat(runs).isEqualTo(1);
        assertThat(task.runNow()).isFalse();
    }
}
