package dev.quorate.testkit.check;

import dev.quorate.harness.Cut;

/** One thing that is done to a cluster. */
sealed interface Step {

    record Kill(String node) implements Step {}

    record Start(String node) implements Step {}

    record Pause(String node) implements Step {}

    record Resume(String node) implements Step {}

    record Sever(Cut cut) implements Step {}

    record Heal(Cut cut) implements Step {}

    /** Strangers come to a node. */
    record Gather(String node) implements Step {}

    /** They leave it. */
    record Disperse(String node) implements Step {}

    /** When, in milliseconds from the beginning. */
    record Timed(long millis, Step step) {}
}
