package dev.quorate.router.runtime;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Time that stands still until a test moves it. Tasks run on the thread that moves it, in the order
 * in which they fall due, each seeing the time at which it was due. Safe for use by many threads.
 */
public final class ManualTime implements Ticker, Scheduler {

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(
                    Comparator.<Task>comparingLong(task -> task.dueNanos)
                            .thenComparingLong(task -> task.number));
    private long nanos;
    private long wallOffsetMillis;
    private long taskNumber;

    /** Starts on 2026-01-01 at 00:00 UTC. */
    public ManualTime() {
        this(1_767_225_600_000L);
    }

    public ManualTime(long wallMillis) {
        this.wallOffsetMillis = wallMillis;
    }

    @Override
    public synchronized long wallMillis() {
        return wallOffsetMillis + nanos / 1_000_000;
    }

    @Override
    public synchronized long nanos() {
        return nanos;
    }

    /** Moves the wall clock alone, as an operator or a time server does; also backwards. */
    public synchronized void jumpWall(Duration by) {
        wallOffsetMillis += by.toMillis();
    }

    /** Lets time pass, and runs what falls due. */
    public void advance(Duration by) {
        long until;
        synchronized (this) {
            until = nanos + by.toNanos();
        }
        Task due;
        while ((due = nextDue(until)) != null) {
            due.action.run();
        }
    }

    public void advanceMillis(long millis) {
        advance(Duration.ofMillis(millis));
    }

    private synchronized @Nullable Task nextDue(long until) {
        Task task = tasks.peek();
        if (task == null || task.dueNanos > until) {
            nanos = Math.max(nanos, until);
            return null;
        }
        tasks.remove();
        nanos = Math.max(nanos, task.dueNanos);
        if (task.periodNanos > 0) {
            task.dueNanos += task.periodNanos;
            task.number = taskNumber++;
            tasks.add(task);
        }
        return task;
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        return schedule(delay.toNanos(), 0, task);
    }

    @Override
    public Cancellable every(Duration period, Runnable task) {
        if (!period.isPositive()) {
            throw new IllegalArgumentException("period " + period);
        }
        return schedule(period.toNanos(), period.toNanos(), task);
    }

    private synchronized Cancellable schedule(long delayNanos, long periodNanos, Runnable action) {
        Task task = new Task(action, periodNanos);
        task.dueNanos = nanos + delayNanos;
        task.number = taskNumber++;
        tasks.add(task);
        return () -> cancel(task);
    }

    private synchronized void cancel(Task task) {
        tasks.remove(task);
    }

    /** How many tasks are waiting: 0 once everything that was scheduled is done or cancelled. */
    public synchronized int scheduled() {
        return tasks.size();
    }

    private static final class Task {
        final Runnable action;
        final long periodNanos;
        long dueNanos;
        long number;

        Task(Runnable action, long periodNanos) {
            this.action = action;
            this.periodNanos = periodNanos;
        }
    }
}
