package dev.quorate.node.http.budget;

import java.time.Duration;

/** How urgently other clients need the memory that slow clients occupy. */
public enum Pressure {
    /** The memory is not needed. */
    NONE,
    /** More than half of the budget is used. */
    CROWDED,
    /** A client was refused for lack of memory a moment ago. */
    SHORT,
    /** Other clients wait for memory, until their deadline. */
    WAITED;

    private static final Duration WHILE_CROWDED = Duration.ofSeconds(5);
    private static final Duration WHILE_SHORT = Duration.ofSeconds(2);

    /** Less than a sweep: a client that sends nothing between two sweeps is late at the second. */
    private static final Duration WHILE_WAITED = Duration.ofMillis(400);

    /** The client's grace time that remains under this pressure. */
    public Duration graceOf(Duration usual) {
        return switch (this) {
            case NONE -> usual;
            case CROWDED -> shorter(usual, WHILE_CROWDED);
            case SHORT -> shorter(usual, WHILE_SHORT);
            case WAITED -> shorter(usual, WHILE_WAITED);
        };
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
