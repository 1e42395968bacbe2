package dev.quorate.loadtest.conditional;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** What a client waits before it tries again. */
final class Pauses {

    private Pauses() {}

    /** Waits a random part of a time. */
    static void upTo(int millis) throws InterruptedException {
        TimeUnit.MICROSECONDS.sleep(ThreadLocalRandom.current().nextLong(1_000L * millis));
    }
}
