package dev.quorate.client;

import java.util.concurrent.Executor;

/** Time, randomness and threads. */
interface Effects {

    /** A timer that has not fired yet. */
    @FunctionalInterface
    interface Timer {
        void cancel();
    }

    /** A monotonic clock, in nanoseconds. */
    long nanos();

    /** The time of day, in milliseconds since 1970. */
    long millis();

    /** 64 random bits. */
    long random();

    /** On which answers are handled. */
    Executor threads();

    /**
     * Runs something once, later.
     *
     * @throws java.util.concurrent.RejectedExecutionException after the end
     */
    Timer after(long nanos, Runnable task);

    /** No timers are set from now on; those that are set still fire. */
    void end();
}
