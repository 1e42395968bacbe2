package dev.quorate.storage.memtable;

import dev.quorate.storage.Entry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * An array of entries, indexed by number from 0 on, for one writer and any number of readers. An
 * entry may be replaced by another of the same key, which becomes visible to all readers at once
 * because both indexes refer to its number.
 *
 * <p>The number must have passed from the writer to a reader by release and acquire.
 */
final class Entries {

    private static final int CHUNK_SHIFT = 10;
    private static final int CHUNK_ENTRIES = 1 << CHUNK_SHIFT;
    private static final int CHUNK_MASK = CHUNK_ENTRIES - 1;

    private static final VarHandle ENTRIES = MethodHandles.arrayElementVarHandle(Entry[].class);

    private volatile Entry[][] chunks = {new Entry[CHUNK_ENTRIES]};

    Entry get(int number) {
        return (Entry) ENTRIES.getAcquire(chunks[number >>> CHUNK_SHIFT], number & CHUNK_MASK);
    }

    /** Writer only: adds the entry of {@code number}, the one after the last. */
    void add(int number, Entry entry) {
        int chunk = number >>> CHUNK_SHIFT;
        if ((number & CHUNK_MASK) == 0 && chunk > 0) {
            Entry[][] grown = chunks;
            if (chunk == grown.length) {
                grown = Arrays.copyOf(grown, 2 * chunk);
            }
            grown[chunk] = new Entry[CHUNK_ENTRIES];
            chunks = grown;
        }
        chunks[chunk][number & CHUNK_MASK] = entry;
    }

    /** Writer only: replaces an entry by another of the same key. */
    void replace(int number, Entry entry) {
        ENTRIES.setRelease(chunks[number >>> CHUNK_SHIFT], number & CHUNK_MASK, entry);
    }
}
