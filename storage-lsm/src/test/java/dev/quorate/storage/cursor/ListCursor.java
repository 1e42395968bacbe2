package dev.quorate.storage.cursor;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import java.util.List;

/** A cursor over a list that can inject failures and counts its calls. */
final class ListCursor implements EntryCursor {

    private final List<Entry> entries;
    private int at = -1;
    private int failAt = Integer.MAX_VALUE;
    private boolean failOnClose;
    int closed;
    int valuesRead;

    ListCursor(List<Entry> entries) {
        this.entries = entries;
    }

    /** Throws when advanced to the entry at {@code index}. */
    ListCursor failingAt(int index) {
        failAt = index;
        return this;
    }

    ListCursor failingOnClose() {
        failOnClose = true;
        return this;
    }

    @Override
    public boolean next() {
        at++;
        if (at >= failAt) {
            throw new StorageException.Io("the disk fails", null);
        }
        return at < entries.size();
    }

    @Override
    public Entry entry() {
        valuesRead++;
        return entries.get(at);
    }

    @Override
    public byte[] key() {
        return entries.get(at).key();
    }

    @Override
    public Timestamp timestamp() {
        return entries.get(at).timestamp();
    }

    @Override
    public void close() {
        closed++;
        if (failOnClose) {
            throw new StorageException.Io("cannot close", null);
        }
    }
}
