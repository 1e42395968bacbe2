package dev.quorate.harness;

import java.util.concurrent.locks.LockSupport;

/** A clock, and waiting by it. */
public interface Pacer {

    /** The system's. */
    Pacer SYSTEM =
            new Pacer() {
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

    /** Only differences mean something. */
    long nanos();

    /** Waits until then, or until the thread is interrupted. */
    void awaitNanos(long due);
}
