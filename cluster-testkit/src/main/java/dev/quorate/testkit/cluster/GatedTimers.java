package dev.quorate.testkit.cluster;

import dev.quorate.node.runtime.Scheduler;
import java.time.Duration;

/** Timers that fire late while the process is paused, and never after its end. */
record GatedTimers(Scheduler inner, Life life) implements Scheduler {

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        return inner.after(delay, gated(task));
    }

    @Override
    public Cancellable every(Duration period, Runnable task) {
        return inner.every(period, gated(task));
    }

    private Runnable gated(Runnable task) {
        return () -> {
            if (life.pass()) {
                task.run();
            }
        };
    }
}
