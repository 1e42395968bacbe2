package dev.quorate.testkit.history;

/** The condition of a write. */
public sealed interface HistoryCondition {

    HistoryCondition NONE = new None();

    record None() implements HistoryCondition {

        @Override
        public String toString() {
            return "";
        }
    }

    /**
     * The key has this value, under the version that the client has seen ({@code If-Match:
     * "version"}). Values are unique, so the value identifies the write.
     */
    record Is(String value) implements HistoryCondition {

        @Override
        public String toString() {
            return " if " + HistoryText.quoted(value);
        }
    }

    /** The key has a value ({@code If-Match: *}). */
    record Present() implements HistoryCondition {

        @Override
        public String toString() {
            return " if present";
        }
    }

    /** The key has no value ({@code If-None-Match: *}). */
    record Absent() implements HistoryCondition {

        @Override
        public String toString() {
            return " if absent";
        }
    }
}
