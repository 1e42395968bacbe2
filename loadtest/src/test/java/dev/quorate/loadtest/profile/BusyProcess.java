package dev.quorate.loadtest.profile;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/** Computes, allocates, and waits for a lock, until it is killed. */
final class BusyProcess {

    static final String LINE = "at work";

    private static final Object LOCK = new Object();
    private static final long ROUND_NANOS = 10_000_000;

    private BusyProcess() {}

    public static void main(String[] arguments) {
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            while (true) {
                                lock(ROUND_NANOS / 4);
                            }
                        });
        while (true) {
            long done = count() + allocate();
            lock(1);
            System.out.println(done == 0 ? "idle" : LINE);
        }
    }

    private static long count() {
        long until = System.nanoTime() + ROUND_NANOS;
        long counted = 0;
        while (System.nanoTime() < until) {
            counted++;
        }
        return counted;
    }

    private static long allocate() {
        long bytes = 0;
        for (int i = 0; i < 64; i++) {
            bytes += Arrays.hashCode(new byte[16_384]);
        }
        return bytes;
    }

    private static void lock(long nanos) {
        synchronized (LOCK) {
            LockSupport.parkNanos(nanos);
        }
    }
}
