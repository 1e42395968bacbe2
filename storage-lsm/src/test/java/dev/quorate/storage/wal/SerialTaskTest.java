package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** A request in each state of a task, one by one; {@link HandOverTest} uses real threads. */
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
    void requestsBeforeARunCauseOneRun() {
        task.schedule();
        task.schedule();
        assertThat(executor).hasSize(1);
        assertThat(task.runNow()).as("already scheduled").isFalse();
        runAll();
        assertThat(runs).isEqualTo(1);
        task.schedule();
        runAll();
        assertThat(runs).isEqualTo(2);
    }

    /** Work added during a run may be too late for that run. */
    @Test
    void aRequestDuringARunCausesAnotherRun() {
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
    void aRequestDuringAFailingRunCausesAnotherRun() {
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
    void tryRunTakesTheRunFromTheExecutor() {
        assertThat(task.tryRun()).isFalse();
        task.schedule();
        assertThat(task.tryRun()).isTrue();
        runAll();
        assertThat(runs).isEqualTo(1);
    }

    @Test
    void stopCompletesAtTheEndOfTheCurrentRun() {
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
