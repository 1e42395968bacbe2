package dev.quorate.node.http;

import java.time.Duration;

/** How urgently memory that slow clients occupy is needed by others. */
enum Pressure {
    /** It is not needed. */
    NONE,
    /** More than half of the budget is used. */
    CROWDED,
    /** A client was refused for want of it a moment ago. */
    SHORT;

    private static final Duration WHILE_CROWDED = Duration.ofSeconds(5);
    private static final Duration WHILE_SHORT = Duration.ofSeconds(2);

    /** What remains of a client's grace time under this pressure. */
    Duration graceOf(Duration usual) {
        return switch (this) {
            case NONE -> usual;
            case CROWDED -> shorter(usual, WHILE_CROWDED);
            case SHORT -> shorter(usual, WHILE_SHORT);
        };
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
