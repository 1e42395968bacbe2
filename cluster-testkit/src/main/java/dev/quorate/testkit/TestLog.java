package dev.quorate.testkit;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines of the log, for a test that fails. Works without Logback; then it is empty. */
final class TestLog {

    private static final int MAX_LINES = 5_000;
    private static final Deque<String> LINES = new ArrayDeque<>();

    private TestLog() {}

    /** Adds a line with its line feed, and forgets the oldest one if there are too many. */
    static void add(String line) {
        synchronized (LINES) {
            if (LINES.size() == MAX_LINES) {
                LINES.removeFirst();
            }
            LINES.add(line);
        }
    }

    /** All lines since the last call. */
    static String take() {
        synchronized (LINES) {
            String all = String.join("", LINES);
            LINES.clear();
            return all;
        }
    }
}
