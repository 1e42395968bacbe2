package dev.quorate.testkit.simulation;

import dev.quorate.router.runtime.Scheduler;
import java.time.Duration;

/** The timers of a simulated process. They end with the life of the process. */
record LifeTimers(SimulatedNode process) implements Scheduler {

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        return new Timer(task, delay.toNanos(), 0);
    }

    @Override
    public Cancellable every(Duration period, Runnable task) {
        return new Timer(task, period.toNanos(), period.toNanos());
    }

    private final class Timer implements Cancellable {
        private final Runnable task;
        private final long periodNanos;
        private boolean cancelled;

        Timer(Runnable task, long delayNanos, long periodNanos) {
            this.task = task;
            this.periodNanos = periodNanos;
            process.after(delayNanos, this::run);
        }

        private void run() {
            if (cancelled) {
                return;
            }
            task.run();
            if (periodNanos > 0) {
                process.after(periodNanos, this::run);
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
