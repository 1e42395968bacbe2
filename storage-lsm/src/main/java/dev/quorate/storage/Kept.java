package dev.quorate.storage;

/** Which entries {@link KeyValueStore#discard} keeps. */
@FunctionalInterface
public interface Kept {

    /**
     * Whether an entry or a tombstone is kept.
     *
     * @param key not to be modified
     * @param from as {@link Entry#from}
     */
    boolean keeps(byte[] key, int from);
}
