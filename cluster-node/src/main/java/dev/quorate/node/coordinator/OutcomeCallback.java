package dev.quorate.node.coordinator;

/** Takes the outcome of an operation: exactly once, on any thread; must not block or throw. */
@FunctionalInterface
public interface OutcomeCallback {
    void completed(Outcome outcome);
}
