package dev.quorate.node.http;

import java.time.Duration;

/** How much those who hold something while they are slow are in the way of others. */
enum Pressure {
    /** Nobody misses it. */
    NONE,
    /** More than half of all there is is taken. */
    CROWDED,
    /** Somebody was refused for want of it a moment ago. */
    SHORT;

    private static final Duration WHILE_CROWDED = Duration.ofSeconds(5);
    private static final Duration WHILE_SHORT = Duration.ofSeconds(2);

    /** What is left of the time that a client may lose: those who are slow give way. */
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
