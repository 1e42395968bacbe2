package dev.quorate.testkit.history;

import java.util.Objects;

/** The action that a client requested. */
public sealed interface Action {

    /** Reads the key. */
    record Get() implements Action {

        @Override
        public String toString() {
            return "GET";
        }
    }

    /**
     * Stores a value.
     *
     * @param value in text, or whatever stands for the bytes; no other PUT of the same key may have
     *     it, so that a read names the write it saw
     */
    record Put(String value) implements Action {

        public Put {
            Objects.requireNonNull(value, "value");
        }

        @Override
        public String toString() {
            return "PUT " + Text.quoted(value);
        }
    }

    /** Deletes the key. */
    record Delete() implements Action {

        @Override
        public String toString() {
            return "DELETE";
        }
    }

    /** Whether it changes the key if it is carried out. */
    default boolean isWrite() {
        return switch (this) {
            case Get() -> false;
            case Put(_), Delete() -> true;
        };
    }
}
