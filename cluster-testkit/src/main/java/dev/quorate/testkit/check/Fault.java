package dev.quorate.testkit.check;

/** A fault, which a step begins and another one ends. */
sealed interface Fault permits Fault.Kill, Fault.Pause, Fault.Strangers, Cut {

    /** SIGKILL ends the process of a node, until it is started. */
    record Kill(String node) implements Fault {}

    /** SIGSTOP pauses the process of a node, until it is resumed. */
    record Pause(String node) implements Fault {}

    /** Strangers connect to a node, until they disconnect. */
    record Strangers(String node) implements Fault {}

    default FaultKind kind() {
        return switch (this) {
            case Kill _ -> FaultKind.KILL;
            case Pause _ -> FaultKind.PAUSE;
            case Strangers _ -> FaultKind.STRANGERS;
            case Cut _ -> FaultKind.PARTITION;
        };
    }

    /** What it affects: a node, or links. */
    default String place() {
        return switch (this) {
            case Kill(String node) -> node;
            case Pause(String node) -> node;
            case Strangers(String node) -> node;
            case Cut cut -> cut.toString();
        };
    }

    /**
     * The beginning or the end of a fault.
     *
     * @param millis from the start of the schedule
     */
    record Step(long millis, Fault fault, boolean begins) {}
}
