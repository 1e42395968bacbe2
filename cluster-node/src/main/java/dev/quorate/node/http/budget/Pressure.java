package dev.quorate.node.http.budget;

import java.time.Duration;

/** How urgently memory that slow clients occupy is needed by others. */
public enum Pressure {
    /** It is not needed. */
    NONE,
    /** More than half of the budget is used. */
    CROWDED,
    /** A client was refused for want of it a moment ago. */
    SHORT,
    /** Others wait for it, until their deadline. */
    WAITED;

    private static final Duration WHILE_CROWDED = Duration.ofSeconds(5);
    private static final Duration WHILE_SHORT = Duration.ofSeconds(2);

    /** Less than a sweep: whoever sends nothing between two sweeps is late at the second. */
    private static final Duration WHILE_WAITED = Duration.ofMillis(400);

    /** What remains of a client's grace time under this pressure. */
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
