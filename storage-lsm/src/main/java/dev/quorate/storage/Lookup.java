package dev.quorate.storage;

/** What a look-up of one key found. */
public sealed interface Lookup {

    /** The newest entry of the key, which may be a tombstone. */
    record Found(Entry entry) implements Lookup {}

    /** The store holds nothing for the key: neither a value nor a tombstone. */
    enum Absent implements Lookup {
        ABSENT
    }

    /** The answer lies in a page that would have to come from disk: ask where one may block. */
    enum NotResident implements Lookup {
        NOT_RESIDENT
    }
}
