package dev.quorate.testkit.history;

import java.util.Objects;

/**
 * What a client was told. Versions are shown in reports and never judged by: the cluster gives them
 * out itself, and a wrong clock would be believed.
 */
public sealed interface Answer {

    /** A PUT was acknowledged (201). */
    record Stored(String version) implements Answer {

        public Stored {
            Objects.requireNonNull(version, "version");
        }

        @Override
        public String toString() {
            return "stored" + Text.version(version);
        }
    }

    /** A DELETE was acknowledged (202). */
    record Deleted(String version) implements Answer {

        public Deleted {
            Objects.requireNonNull(version, "version");
        }

        @Override
        public String toString() {
            return "deleted" + Text.version(version);
        }
    }

    /** A GET found a value (200). */
    record Value(String value, String version) implements Answer {

        public Value {
            Objects.requireNonNull(value, "value");
            Objects.requireNonNull(version, "version");
        }

        @Override
        public String toString() {
            return Text.quoted(value) + Text.version(version);
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
     * Nobody knows (504, a timeout, a connection that broke, a client that was killed). A write may
     * have been carried out, may be later at any moment, or never; a read says nothing.
     *
     * <p>A write that was sent again under the version of its first attempt has this answer too,
     * from the first attempt on, even if the last was acknowledged: it keeps the first one's place
     * among the others, which nobody promised to be behind what was acknowledged before.
     */
    record Indeterminate(String why) implements Answer {

        public Indeterminate {
            Objects.requireNonNull(why, "why");
        }

        @Override
        public String toString() {
            return "indeterminate (" + Text.plain(why) + ")";
        }
    }

    /** It was turned away before any work (4xx, 503): certainly not done, now or later. */
    record Refused(String why) implements Answer {

        public Refused {
            Objects.requireNonNull(why, "why");
        }

        @Override
        public String toString() {
            return "refused (" + Text.plain(why) + ")";
        }
    }
}
