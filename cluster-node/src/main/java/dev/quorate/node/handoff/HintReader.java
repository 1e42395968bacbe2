package dev.quorate.node.handoff;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the hints that are not yet sent, page by page in key order, or by key. Abandons a damaged
 * store. Thread-safe.
 */
record HintReader(HintStore store) {

    /**
     * A page of hints.
     *
     * @param hints the unsent hints, in the order of their keys
     * @param next the start of the next page; null at the end of the range
     */
    record Page(List<Entry> hints, byte @Nullable [] next) {
        Page {
            hints = List.copyOf(hints);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(HintReader.class);

    private static final int MAX_PAGE_ENTRIES = 2_048;

    /**
     * Reads hints, at most some thousand keys or about {@code maxBytes}. Skips hints that were sent
     * or have expired. Waits for the disk.
     *
     * @param end exclusive; null if unbounded
     * @return null if the store cannot be read now
     */
    @Nullable Page read(byte[] start, byte @Nullable [] end, int maxBytes) {
        KeyValueStore open = store.use();
        if (open == null) {
            return null;
        }
        CorruptionException damage;
        try {
            return collect(open, start, end, maxBytes);
        } catch (StorageException e) {
            LOG.warn("Hints cannot be read: {}", e.getMessage());
            damage = e instanceof CorruptionException corruption ? corruption : null;
        } finally {
            store.ended();
        }
        if (damage != null) {
            store.abandonStore(open, damage);
        }
        return null;
    }

    private static Page collect(
            KeyValueStore open, byte[] start, byte @Nullable [] end, int maxBytes) {
        List<Entry> hints = new ArrayList<>();
        long bytes = 0;
        int seen = 0;
        try (EntryCursor cursor = open.scan(start, end)) {
            while (cursor.next()) {
                Entry entry = cursor.entry();
                if (!entry.isTombstone()) {
                    bytes += HintCodec.sizeOf(entry);
                    hints.add(entry);
                }
                if (++seen >= MAX_PAGE_ENTRIES || bytes >= maxBytes) {
                    return new Page(hints, KeyRange.after(entry.key()));
                }
            }
        }
        return new Page(hints, null);
    }

    /**
     * The unsent hints with these keys. Waits for the disk.
     *
     * @return null if they cannot be read now
     */
    @Nullable List<Entry> lookup(List<byte[]> keys) {
        KeyValueStore open = store.use();
        if (open == null) {
            return store.isDeleted() ? List.of() : null;
        }
        List<Entry> hints = new ArrayList<>();
        try {
            for (byte[] key : keys) {
                if (open.lookup(key) instanceof Lookup.Found(Entry hint) && !hint.isTombstone()) {
                    hints.add(hint);
                }
            }
            return hints;
        } catch (StorageException e) {
            LOG.warn("Hints cannot be read: {}", e.getMessage());
            return null;
        } finally {
            store.ended();
        }
    }

    /** False only without hints, for which {@code bytesBetween} may still count a block or two. */
    static boolean mayHoldAny(KeyValueStore opened, byte[] start, byte[] end) {
        try (EntryCursor cursor = opened.scan(start, end)) {
            return cursor.next();
        } catch (StorageException e) {
            return true;
        }
    }
}
