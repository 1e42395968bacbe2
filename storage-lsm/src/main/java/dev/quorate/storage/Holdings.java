package dev.quorate.storage;

import java.util.List;

/**
 * All that a store holds of one key, newest or not, as it lies there: for those who want to know
 * why an answer is what it is. Values are not in it, and what has expired is there as it was
 * written.
 *
 * @param entries in the order in which places are looked at: memory, then tables by their level
 * @param unread where there may be more, which could not be read
 */
public record Holdings(List<Held> entries, List<Unread> unread) {

    public Holdings {
        entries = List.copyOf(entries);
        unread = List.copyOf(unread);
    }

    /**
     * An entry, but for its value.
     *
     * @param from as {@link Entry#from}
     * @param valueBytes of the value; 0 for a tombstone
     * @param expiresAtMillis as {@link Entry#expiresAtMillis}
     */
    public record Held(
            Place place,
            Timestamp timestamp,
            boolean isTombstone,
            int from,
            int valueBytes,
            long expiresAtMillis) {

        /** What there is to be said of an entry that lies there. */
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
     * A place that is damaged, or that the disk does not give.
     *
     * @param newest nothing there is newer
     * @param why with the file and the offset
     */
    public record Unread(Place place, Timestamp newest, String why) {}

    /** Where an entry lies. */
    public sealed interface Place {

        /** In the memtable that is written to, and in the log. */
        enum Active implements Place {
            ACTIVE
        }

        /** In a memtable that is to become a table, and in the log. */
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
