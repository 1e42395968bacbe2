package dev.quorate.storage.iterator;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import java.util.List;

/**
 * Many cursors as one: for each key that any of them has, the newest entry (tombstones too).
 * Closing it closes all of them. When one source fails, so does this.
 */
@SuppressWarnings({"DoNotCallSuggester"})
public final class MergingIterator implements EntryCursor {

    public MergingIterator(List<EntryCursor> sources) {}

    @Override
    public boolean next() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Entry entry() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
