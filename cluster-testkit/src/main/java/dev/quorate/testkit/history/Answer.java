package dev.quorate.testkit.history;

/**
 * The answer that a client received. The checker does not use the order of versions as evidence:
 * nodes assign them, so a wrong clock would go unnoticed.
 */
public sealed interface Answer {

    /** A PUT was acknowledged (201). */
    record Stored(String version) implements Answer {

        @Override
        public String toString() {
            return "stored" + HistoryText.version(version);
        }
    }

    /** A DELETE was acknowledged (202). */
    record Deleted(String version) implements Answer {

        @Override
        public String toString() {
            return "deleted" + HistoryText.version(version);
        }
    }

    /** A GET found a value (200). */
    record Value(String value, String version) implements Answer {

        @Override
        public String toString() {
            return HistoryText.quoted(value) + HistoryText.version(version);
        }
    }

    /** A GET found nothing (404). */
    record Absent() implements Answer {

        @Override
        public String toString() {
            return "absent";
        }
    }

    /**
     * The outcome is unknown (504, a timeout, a broken connection, a killed client). A write may
     * have been executed, may be executed later, or never; a read is not evidence.
     *
     * <p>An unconditional write that was retried under the version of its first attempt also has
     * this answer, even if the last attempt was acknowledged: its place in the order is that of the
     * first attempt, which may precede writes acknowledged before the retry.
     */
    record Indeterminate(String why) implements Answer {

        @Override
        public String toString() {
            return "indeterminate (" + HistoryText.plain(why) + ")";
        }
    }

    /**
     * The condition of a PUT or DELETE did not hold (412): not executed, now or later.
     *
     * @param version the version that the key had instead; empty if it had no value
     */
    record Unmet(String version) implements Answer {

        @Override
        public String toString() {
            return "condition not met"
                    + (version.isEmpty() ? ", absent" : HistoryText.version(version));
        }
    }

    /** Refused before execution (4xx, 503): not executed, now or later. */
    record Refused(String why) implements Answer {

        @Override
        public String toString() {
            return "refused (" + HistoryText.plain(why) + ")";
        }
    }
}
