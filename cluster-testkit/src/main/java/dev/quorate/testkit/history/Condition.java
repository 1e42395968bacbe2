package dev.quorate.testkit.history;

/** What must be there for a write to be executed. */
public sealed interface Condition {

    /** Nothing: the write is executed in any case. */
    Condition NONE = new None();

    /** See {@link #NONE}. */
    record None() implements Condition {

        @Override
        public String toString() {
            return "";
        }
    }

    /**
     * This value, under the version that the client has seen ({@code If-Match: "version"}). Values
     * are unique, so the value names the write.
     */
    record Is(String value) implements Condition {

        @Override
        public String toString() {
            return " if " + Text.quoted(value);
        }
    }

    /** Any value ({@code If-Match: *}). */
    record Present() implements Condition {

        @Override
        public String toString() {
            return " if present";
        }
    }

    /** No value ({@code If-None-Match: *}). */
    record Absent() implements Condition {

        @Override
        public String toString() {
            return " if absent";
        }
    }
}
