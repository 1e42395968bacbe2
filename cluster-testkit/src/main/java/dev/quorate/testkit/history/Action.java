package dev.quorate.testkit.history;

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
     * @param condition what must be there
     */
    record Put(String value, HistoryCondition condition) implements Action {

        /** Without a condition. */
        public Put(String value) {
            this(value, HistoryCondition.NONE);
        }

        @Override
        public String toString() {
            return "PUT " + HistoryText.quoted(value) + condition;
        }
    }

    /**
     * Deletes the key.
     *
     * @param condition what must be there
     */
    record Delete(HistoryCondition condition) implements Action {

        /** Without a condition. */
        public Delete() {
            this(HistoryCondition.NONE);
        }

        @Override
        public String toString() {
            return "DELETE" + condition;
        }
    }

    /** What must be there for it to be executed. */
    default HistoryCondition condition() {
        return HistoryCondition.NONE;
    }

    /** Whether it changes the key if it is carried out. */
    default boolean isWrite() {
        return switch (this) {
            case Get() -> false;
            case Put(_, _), Delete(_) -> true;
        };
    }
}
