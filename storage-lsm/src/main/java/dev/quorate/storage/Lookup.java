package dev.quorate.storage;

/** What a look-up of one key found. */
public sealed interface Lookup {

    /** The newest entry of the key, which may be a tombstone. */
    record Found(Entry entry) implements Lookup {}

    /** The store contains neither a value nor a tombstone of the key. */
    enum Absent implements Lookup {
        ABSENT
    }

    /** The answer needs a page from disk: repeat the look-up on a thread that may block. */
    enum NotResident implements Lookup {
        NOT_RESIDENT
    }
}
