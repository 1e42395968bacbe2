package dev.quorate.node.handoff;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the hints that are still to be sent: page by page in the order of their keys, or by key. A
 * store that is found to be damaged is left. Safe for use by many threads.
 */
final class HintReader {

    /** Takes what was read. Called once, on any thread; must not block. */
    interface PageTaker {

        /**
         * There are these.
         *
         * @param hints those of the range that are still to be sent, in the order of their keys
         * @param next where the next page begins; null if the range is at its end
         */
        void page(List<Entry> hints, byte @Nullable [] next);

        /** Nothing can be read now. */
        void unavailable();
    }

    private static final Logger LOG = LoggerFactory.getLogger(HintReader.class);

    private static final int MAX_PAGE_ENTRIES = 2_048;

    private final HintStore store;
    private final Executor executor;

    /**
     * @param executor where it may be waited for the disk; throws {@link
     *     RejectedExecutionException} when too many do
     */
    HintReader(HintStore store, Executor executor) {
        this.store = store;
        this.executor = executor;
    }

    /**
     * Reads hints, some thousand keys or about {@code maxBytes} at most. Those that were sent or
     * have expired are left out.
     *
     * @param end not included; null for no end
     */
    void read(byte[] start, byte @Nullable [] end, int maxBytes, PageTaker taker) {
        try {
            executor.execute(() -> readNow(start, end, maxBytes, taker));
        } catch (RejectedExecutionException full) {
            taker.unavailable();
        }
    }

    private void readNow(byte[] start, byte @Nullable [] end, int maxBytes, PageTaker taker) {
        KeyValueStore open = store.use();
        if (open == null) {
            taker.unavailable();
            return;
        }
        List<Entry> hints = new ArrayList<>();
        byte[] next;
        try {
            next = collect(open, start, end, maxBytes, hints);
        } catch (StorageException e) {
            LOG.warn("Hints cannot be read: {}", e.getMessage());
            store.ended();
            if (e instanceof CorruptionException damage) {
                store.leave(open, damage);
            }
            taker.unavailable();
            return;
        }
        store.ended();
        taker.page(hints, next);
    }

    private static byte @Nullable [] collect(
            KeyValueStore open,
            byte[] start,
            byte @Nullable [] end,
            int maxBytes,
            List<Entry> hints) {
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
                    return HintCodec.after(entry.key());
                }
            }
        }
        return null;
    }

    /**
     * The hints that have one of these keys, and are still to be sent. Waits for the disk.
     *
     * @return null if that cannot be said now
     */
    @Nullable List<Entry> lookup(List<byte[]> keys) {
        KeyValueStore open = store.use();
        if (open == null) {
            return store.isGone() ? List.of() : null;
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
}
