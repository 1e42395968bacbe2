package dev.quorate.node;

import dev.quorate.node.antientropy.Healing;
import dev.quorate.router.replica.ChangeNotices;
import dev.quorate.router.runtime.DurationHistogram;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.LogTimes;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Keyspaces;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StoreListener;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Handles the store's events: reports and heals damage, and ends the node if the store stops. */
final class StoreEvents implements StoreListener {

    private final Consumer<String> fatal;
    private final EventLog events;

    private final DurationHistogram forced = new DurationHistogram();
    private final DurationHistogram waited = new DurationHistogram();

    /** Null until it is created; when it starts, it checks for damage itself. */
    private volatile @Nullable Healing healing;

    /** Null until the store is recovered: until then no wait is registered. */
    private volatile @Nullable ChangeNotices notices;

    StoreEvents(Consumer<String> fatal, EventLog events) {
        this.fatal = fatal;
        this.events = events;
    }

    /** Sets the healing to notify of damage. */
    void listener(Healing listener) {
        healing = listener;
    }

    /** Sets whom to notify of writes. */
    void listener(ChangeNotices listener) {
        notices = listener;
    }

    @Override
    public void stored(Entry entry) {
        ChangeNotices current = notices;
        byte[] key = current == null || current.isIdle() ? null : Keyspaces.dataKey(entry.key());
        if (current != null && key != null) {
            current.stored(key);
        }
    }

    LogTimes logTimes() {
        return new LogTimes(forced.counts(), waited.counts());
    }

    @Override
    public void logForced(long nanos) {
        forced.record(nanos);
    }

    @Override
    public void groupBegun(long nanos) {
        waited.record(nanos);
    }

    @Override
    public void stopped(StorageException cause) {
        fatal.accept(String.valueOf(cause.getMessage()));
    }

    @Override
    public void damaged(StorageException cause) {
        events.error("A table is damaged, and left out of compaction: " + cause.getMessage());
        Healing current = healing;
        if (current != null) {
            current.damaged();
        }
    }
}
