package dev.quorate.testkit.history;

/** What must be there for a write to be executed. */
public sealed interface HistoryCondition {

    /** Nothing: the write is executed in any case. */
    HistoryCondition NONE = new None();

    /** See {@link #NONE}. */
    record None() implements HistoryCondition {

        @Override
        public String toString() {
            return "";
        }
    }

    /**
     * This value, under the version that the client has seen ({@code If-Match: "version"}). Values
     * are unique, so the value names the write.
     */
    record Is(String value) implements HistoryCondition {

        @Override
        public String toString() {
            return " if " + HistoryText.quoted(value);
        }
    }

    /** Any value ({@code If-Match: *}). */
    record Present() implements HistoryCondition {

        @Override
        public String toString() {
            return " if present";
        }
    }

    /** No value ({@code If-None-Match: *}). */
    record Absent() implements HistoryCondition {

        @Override
        public String toString() {
            return " if absent";
        }
    }
}
