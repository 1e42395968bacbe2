package dev.quorate.harness;

import java.util.concurrent.locks.LockSupport;

/** A monotonic clock in nanoseconds, and waits until a time on it. */
public interface NanoClock {

    /** The clock of the system. */
    NanoClock SYSTEM =
            new NanoClock() {
                @Override
                public long nanos() {
                    return System.nanoTime();
                }

                @Override
                public void awaitNanos(long due) {
                    long left;
                    while ((left = due - System.nanoTime()) > 0
                            && !Thread.currentThread().isInterrupted()) {
                        LockSupport.parkNanos(left);
                    }
                }
            };

    /** The time now. Only differences are meaningful. */
    long nanos();

    /** Waits until a time, or until the thread is interrupted. */
    void awaitNanos(long due);
}
