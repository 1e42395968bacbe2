package dev.quorate.storage.cursor;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Merges cursors: returns the newest entry of each key, including tombstones. {@link
 * Entry#supersedes} decides which is the newest, never the order of the sources: timestamps are
 * assigned outside the store, so an old one may arrive late and be in the newest table.
 *
 * <p>Reads a value only for {@link #entry}, or where two sources have the same key with the same
 * timestamp. Closing it closes every source. After a source has failed, every call fails: an
 * unreadable source must not pass for one that has ended.
 */
public final class MergingCursor implements EntryCursor {

    private final List<EntryCursor> sources;
    private final KeyOrder order;

    /**
     * A binary heap of the sources that have not ended: the first key in the order first, and
     * newest entry first within a key.
     */
    private final Source[] heap;

    private int size;
    private boolean started;
    private byte @Nullable [] key;
    private @Nullable RuntimeException failure;

    /** Merges sources in ascending order. */
    public MergingCursor(List<EntryCursor> sources) {
        this(sources, KeyOrder.ASCENDING);
    }

    /**
     * Takes ownership of the sources, none of which may have been advanced.
     *
     * @param order the order of each source, and of the merge
     */
    public MergingCursor(List<EntryCursor> sources, KeyOrder order) {
        this.sources = List.copyOf(sources);
        this.order = order;
        this.heap = new Source[sources.size()];
    }

    @Override
    public boolean next() {
        if (failure != null) {
            throw failure;
        }
        try {
            if (started) {
                leaveKey();
            } else {
                start();
            }
        } catch (RuntimeException cause) {
            failure = cause;
            key = null;
            throw cause;
        }
        key = size == 0 ? null : heap[0].key;
        return key != null;
    }

    private void start() {
        started = true;
        for (int i = 0; i < sources.size(); i++) {
            Source source = new Source(sources.get(i), i, order);
            if (source.advance()) {
                heap[size++] = source;
            }
        }
        for (int i = size / 2 - 1; i >= 0; i--) {
            siftDown(i);
        }
    }

    /** Advances every source positioned on the current key. */
    private void leaveKey() {
        while (size > 0 && key != null && Arrays.equals(heap[0].key, key)) {
            if (!heap[0].advance()) {
                heap[0] = heap[--size];
            }
            siftDown(0);
        }
    }

    private void siftDown(int from) {
        int parent = from;
        while (true) {
            int child = 2 * parent + 1;
            if (child >= size) {
                return;
            }
            if (child + 1 < size && heap[child + 1].compareTo(heap[child]) < 0) {
                child++;
            }
            if (heap[parent].compareTo(heap[child]) <= 0) {
                return;
            }
            Source moved = heap[parent];
            heap[parent] = heap[child];
            heap[child] = moved;
            parent = child;
        }
    }

    private EntryCursor current() {
        if (key == null) {
            throw new IllegalStateException("not on an entry");
        }
        return heap[0].cursor;
    }

    @Override
    public Entry entry() {
        return current().entry();
    }

    @Override
    public byte[] key() {
        return current().key();
    }

    @Override
    public Timestamp timestamp() {
        return current().timestamp();
    }

    @Override
    public @Nullable UnreadValue unreadValue() {
        return current().unreadValue();
    }

    @Override
    public void close() {
        key = null;
        size = 0;
        started = true;
        closeSources();
    }

    /** Closes each source; then throws the first failure, with the others suppressed. */
    private void closeSources() {
        @Nullable RuntimeException first = null;
        for (EntryCursor source : sources) {
            try {
                source.close();
            } catch (RuntimeException cause) {
                if (first == null) {
                    first = cause;
                } else {
                    first.addSuppressed(cause);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** A source and its current key. */
    private static final class Source {
        private static final byte[] NOT_STARTED = {};

        final EntryCursor cursor;
        private final int index;
        private final KeyOrder order;
        private byte[] key = NOT_STARTED;

        Source(EntryCursor cursor, int index, KeyOrder order) {
            this.cursor = cursor;
            this.index = index;
            this.order = order;
        }

        boolean advance() {
            if (!cursor.next()) {
                return false;
            }
            key = cursor.key();
            return true;
        }

        int compareTo(Source other) {
            int byKey = order.compare(key, other.key);
            if (byKey != 0) {
                return byKey;
            }
            int byTime = other.cursor.timestamp().compareTo(cursor.timestamp());
            if (byTime != 0) {
                return byTime;
            }
            int byAge = compareAge(other.cursor, cursor);
            return byAge != 0 ? byAge : Integer.compare(index, other.index);
        }

        /** Compares two entries with the same timestamp. Reads long values only in pieces. */
        private static int compareAge(EntryCursor one, EntryCursor other) {
            if (one.unreadValue() == null && other.unreadValue() == null) {
                return one.entry().compareAge(other.entry());
            }
            UnreadValue ours = value(one);
            UnreadValue theirs = value(other);
            return ours == null || theirs == null
                    ? Boolean.compare(ours == null, theirs == null)
                    : ours.compareAge(theirs);
        }

        /** Null if the entry is a tombstone. */
        private static @Nullable UnreadValue value(EntryCursor cursor) {
            UnreadValue unread = cursor.unreadValue();
            if (unread != null) {
                return unread;
            }
            return cursor.entry().isTombstone() ? null : UnreadValue.of(cursor.entry());
        }
    }
}
