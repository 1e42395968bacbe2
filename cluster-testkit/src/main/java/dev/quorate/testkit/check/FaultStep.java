package dev.quorate.testkit.check;

/** One step of a fault schedule. */
sealed interface FaultStep {

    record Kill(String node) implements FaultStep {}

    record Start(String node) implements FaultStep {}

    record Pause(String node) implements FaultStep {}

    record Resume(String node) implements FaultStep {}

    record CutLinks(Cut cut) implements FaultStep {}

    record HealLinks(Cut cut) implements FaultStep {}

    /** Strangers connect to a node. */
    record Gather(String node) implements FaultStep {}

    /** The strangers disconnect. */
    record Disperse(String node) implements FaultStep {}

    /** A step with its time, in milliseconds from the start. */
    record Timed(long millis, FaultStep step) {}
}
