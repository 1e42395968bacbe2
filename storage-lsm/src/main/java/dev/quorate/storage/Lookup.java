package dev.quorate.storage;

/** The result of a look-up of one key. */
public sealed interface Lookup {

    /** The newest entry of the key, which may be a tombstone. */
    record Found(Entry entry) implements Lookup {}

    /** The store contains neither a value nor a tombstone of the key. */
    enum Absent implements Lookup {
        ABSENT
    }

    /** The look-up must be repeated on a thread that may block. */
    enum NotResident implements Lookup {
        /** The answer needs a page from disk. */
        NOT_RESIDENT,

        /** The value has more than {@link #MAX_RESIDENT_BYTES}: copying it takes too long. */
        TOO_LONG
    }

    /** Maximum length of a value that {@link KeyValueStore#lookupResident} returns, in bytes. */
    int MAX_RESIDENT_BYTES = 1 << 20;
}
