package dev.quorate.storage.cursor;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Concatenates cursors, and opens each when the previous one has ended. For the tables of one
 * level, which do not overlap: a merge has one block of the level in memory, for any number of
 * tables.
 */
public final class ConcatenatingCursor implements EntryCursor {

    private final Iterator<Supplier<EntryCursor>> sources;
    private @Nullable EntryCursor current;
    private boolean onEntry;

    /**
     * The suppliers must return cursors in the order of their keys. The sources must remain open.
     */
    public ConcatenatingCursor(List<Supplier<EntryCursor>> sources) {
        this.sources = List.copyOf(sources).iterator();
    }

    @Override
    public boolean next() {
        onEntry = false;
        while (true) {
            if (current == null) {
                if (!sources.hasNext()) {
                    return false;
                }
                current = sources.next().get();
            }
            if (current.next()) {
                onEntry = true;
                return true;
            }
            current.close();
            current = null;
        }
    }

    private EntryCursor current() {
        if (current == null || !onEntry) {
            throw new IllegalStateException("not on an entry");
        }
        return current;
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
        onEntry = false;
        if (current != null) {
            current.close();
            current = null;
        }
        sources.forEachRemaining(unopened -> {});
    }
}
