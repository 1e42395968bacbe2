package dev.quorate.testkit.history;

/** An action that a client requested on a key. */
public sealed interface Action {

    record Get() implements Action {

        @Override
        public String toString() {
            return "GET";
        }
    }

    /**
     * Stores a value.
     *
     * @param value the value as text, unique among the PUTs of the key, so that a read identifies
     *     the write it observed
     */
    record Put(String value, HistoryCondition condition) implements Action {

        public Put(String value) {
            this(value, HistoryCondition.NONE);
        }

        @Override
        public String toString() {
            return "PUT " + HistoryText.quoted(value) + condition;
        }
    }

    record Delete(HistoryCondition condition) implements Action {

        public Delete() {
            this(HistoryCondition.NONE);
        }

        @Override
        public String toString() {
            return "DELETE" + condition;
        }
    }

    default HistoryCondition condition() {
        return HistoryCondition.NONE;
    }

    default boolean isWrite() {
        return !(this instanceof Get);
    }
}
