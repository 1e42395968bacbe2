package dev.quorate.storage;

import java.util.List;

/**
 * All entries of one key in a store, including superseded and expired ones, without their values.
 * For diagnosis: it shows why a read returns what it returns.
 *
 * @param entries in the order in which a read searches: memtables, then tables by level
 * @param unread places that may contain further entries but could not be read
 */
public record Holdings(List<Held> entries, List<Unread> unread) {

    public Holdings {
        entries = List.copyOf(entries);
        unread = List.copyOf(unread);
    }

    /**
     * An entry without its value.
     *
     * @param from as {@link Entry#from}
     * @param valueBytes bytes of the value; 0 for a tombstone
     * @param expiresAtMillis as {@link Entry#expiresAtMillis}
     */
    public record Held(
            Place place,
            Timestamp timestamp,
            boolean isTombstone,
            int from,
            int valueBytes,
            long expiresAtMillis) {

        public static Held of(Entry entry, Place place) {
            return new Held(
                    place,
                    entry.timestamp(),
                    entry.isTombstone(),
                    entry.from(),
                    entry.valueBytes(),
                    entry.expiresAtMillis());
        }
    }

    /**
     * A place that is damaged or that the disk fails to read.
     *
     * @param newest at or after the timestamp of every entry there
     * @param why includes the file and the offset
     */
    public record Unread(Place place, Timestamp newest, String why) {}

    /** Where an entry is stored. */
    public sealed interface Place {

        /** In the active memtable, and in the log. */
        enum Active implements Place {
            ACTIVE
        }

        /** In a memtable that waits for its flush, and in the log. */
        enum Sealed implements Place {
            SEALED
        }

        /**
         * In a sorted table.
         *
         * @param number names its file
         */
        record Table(long number, int level) implements Place {}
    }
}
