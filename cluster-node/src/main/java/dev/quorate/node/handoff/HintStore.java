package dev.quorate.node.handoff;

import dev.quorate.node.handoff.HintStoreState.Admission;
import dev.quorate.node.handoff.HintStoreState.Waiting;
import dev.quorate.router.background.EntryWriter;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store of hints: a {@link KeyValueStore} that is opened for the first hint, and deleted after
 * the last. A node without hints, the usual case, has no such store.
 *
 * <p>No method throws: a hint that cannot be stored is refused, and a store that cannot be read
 * ({@link HintReader}) is set aside. Work that waits for the disk runs on the given executor.
 * Thread-safe.
 */
final class HintStore implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HintStore.class);

    private static final long REOPEN_NANOS = 60_000_000_000L;
    private static final long BUSY_NANOS = 1_000_000_000L;
    private static final int MEMTABLE_BYTES = 1 << 20;
    private static final int SEGMENT_BYTES = 4 << 20;
    private static final int ASYNC_WINDOW_MILLIS = 1_000;

    private final HintDirectory directory;
    private final Function<StoreListener, KeyValueStore> opener;
    private final Consumer<KeyValueStore> whenOpened;
    private final Executor executor;
    private final Ticker ticker;

    private final HintStoreState state;

    /**
     * @param opener opens the store in that directory
     * @param whenOpened called with each store that is opened, before anything is written to it;
     *     may wait for the disk
     * @param executor runs work that waits for the disk; throws {@link RejectedExecutionException}
     *     when full
     */
    HintStore(
            HintDirectory directory,
            Function<StoreListener, KeyValueStore> opener,
            Consumer<KeyValueStore> whenOpened,
            Executor executor,
            Ticker ticker) {
        this.directory = directory;
        this.opener = opener;
        this.whenOpened = whenOpened;
        this.executor = executor;
        this.ticker = ticker;
        this.state = new HintStoreState(ticker.nanos());
    }

    /**
     * Options of a small store, which is forced once a second: a crash of the machine may lose the
     * last second. Leaves twice the disk reserve of the node's own store.
     *
     * @param node the options of the node's own store
     */
    static StorageOptions options(StorageOptions node) {
        return new StorageOptions(
                Math.min(MEMTABLE_BYTES, node.memtableBytes()),
                Math.min(SEGMENT_BYTES, node.segmentBytes()),
                node.blockBytes(),
                0,
                MEMTABLE_BYTES,
                Durability.ASYNC,
                ASYNC_WINDOW_MILLIS,
                2 * node.reservedDiskBytes(),
                node.compression(),
                node.compactionBytesPerSecond(),
                0);
    }

    /**
     * Opens an existing store in the background.
     *
     * @return false if none exists
     */
    boolean openWhatIsThere() {
        if (!state.mayOpen(ticker.nanos())) {
            return true;
        }
        try {
            if (!directory.holdsStore()) {
                return false;
            }
        } catch (IOException e) {
            LOG.warn("Hints in {} are ignored: {}", directory, e.getMessage());
            return false;
        }
        if (state.beginOpening()) {
            beginOpening();
        }
        return true;
    }

    /** Deletes an existing store. */
    void forgetWhatIsThere() {
        try {
            if (directory.holdsStore()) {
                directory.empty();
            }
        } catch (IOException e) {
            LOG.warn("Hints in {} could not be deleted: {}", directory, e.getMessage());
        }
    }

    /** Stores an entry, or refuses it. Entries that wait for the store are bounded. */
    void write(Entry entry, Consumer<Boolean> completion) {
        switch (state.admit(entry, completion, ticker.nanos())) {
            case Admission.Write(KeyValueStore open) -> write(open, entry, completion);
            case Admission.Deferral.OPENS -> beginOpening();
            case Admission.Deferral.WAITS -> {}
            case Admission.Deferral.REFUSED -> completion.accept(false);
        }
    }

    private void write(KeyValueStore open, Entry entry, Consumer<Boolean> completion) {
        EntryWriter.into(open)
                .write(
                        entry,
                        Long.MAX_VALUE,
                        failure -> {
                            ended();
                            completion.accept(failure == null);
                        });
    }

    // ---- Opening.

    private void beginOpening() {
        try {
            executor.execute(this::open);
        } catch (RejectedExecutionException full) {
            suspend(BUSY_NANOS);
        }
    }

    private void open() {
        KeyValueStore opened;
        News news = new News();
        try {
            opened = news.openedAs(openOrReplace(news));
        } catch (IOException | StorageException e) {
            LOG.warn("No hints are kept for now: {}", e.getMessage());
            suspend(REOPEN_NANOS);
            return;
        }
        whenOpened.accept(opened);
        List<Waiting> due = state.opened(opened);
        if (due == null) {
            opened.close();
        } else {
            due.forEach(each -> write(opened, each.entry(), each.completion()));
        }
        news.leaveIfStopped();
    }

    private KeyValueStore openOrReplace(News news) throws IOException {
        directory.prepare();
        try {
            return opener.apply(news);
        } catch (CorruptionException e) {
            setAside(e);
            return opener.apply(news);
        }
    }

    private void setAside(StorageException cause) throws IOException {
        Path aside = directory.setAside();
        LOG.warn(
                "Damaged hints were moved to {}; repair covers what they were for: {}",
                aside,
                cause.getMessage());
    }

    /** Opens no store for a while, and refuses the entries that waited for it. */
    private void suspend(long forNanos) {
        state.suspend(ticker.nanos() + forNanos).forEach(each -> each.completion().accept(false));
    }

    /** Receives the events of one store. */
    private final class News implements StoreListener {

        private volatile @Nullable KeyValueStore told;
        private volatile boolean stopped;

        KeyValueStore openedAs(KeyValueStore opened) {
            told = opened;
            return opened;
        }

        @Override
        public void stopped(StorageException cause) {
            LOG.warn("The store of hints has stopped: {}", cause.getMessage());
            stopped = true;
            leaveIfStopped();
        }

        @Override
        public void damaged(StorageException cause) {
            LOG.warn("A table of hints is damaged: {}", cause.getMessage());
        }

        void leaveIfStopped() {
            if (!stopped) {
                return;
            }
            try {
                executor.execute(() -> abandonStore(told, null));
            } catch (RejectedExecutionException full) {
                // The store refuses all further writes.
            }
        }
    }

    /** Closes a store that is no longer usable, and sets it aside if it is damaged. */
    void abandonStore(@Nullable KeyValueStore broken, @Nullable CorruptionException damage) {
        if (broken == null || !state.abandonStore(broken)) {
            return;
        }
        try {
            broken.close();
            if (damage != null) {
                setAside(damage);
            }
        } catch (IOException | StorageException e) {
            LOG.warn("Cannot close the store of hints: {}", e.getMessage());
        }
        suspend(damage == null ? REOPEN_NANOS : 0);
    }

    // ---- Use.

    boolean isOpen() {
        return state.isOpen();
    }

    /** Whether no store, and so no hint, exists. */
    boolean isDeleted() {
        try {
            return state.isShut() && !directory.holdsStore();
        } catch (IOException e) {
            return false;
        }
    }

    /** The store, which is not deleted until it is {@link #ended}; null if none is open. */
    @Nullable KeyValueStore use() {
        return state.use();
    }

    /** Ends a {@link #use} of the store. */
    void ended() {
        state.ended();
    }

    /** Number of entries ever accepted; see {@link #deleteIfUnchanged}. */
    long acceptedCount() {
        return state.acceptedCount();
    }

    /**
     * Lets the store drop tombstones up to a timestamp. Without its tombstone an older hint of the
     * key may be resent, which is harmless, so late entries do not matter.
     */
    void forgetMarks(Timestamp upTo) {
        KeyValueStore open = use();
        if (open != null) {
            try {
                open.collectTombstones(upTo);
            } finally {
                ended();
            }
        }
    }

    // ---- End.

    /**
     * Deletes the store after a survey found no hint in it.
     *
     * @param takenBefore the value of {@link #acceptedCount} before the survey; if it has changed,
     *     the store is not deleted
     */
    void deleteIfUnchanged(long takenBefore) {
        try {
            executor.execute(() -> deleteNow(takenBefore));
        } catch (RejectedExecutionException full) {
            // The next survey retries.
        }
    }

    private void deleteNow(long takenBefore) {
        KeyValueStore unused = state.beginDeletion(takenBefore);
        if (unused == null) {
            return;
        }
        try {
            unused.close();
            directory.empty();
        } catch (IOException | StorageException e) {
            LOG.warn("The store of hints could not be deleted: {}", e.getMessage());
        }
        if (state.deleted()) {
            beginOpening();
        }
    }

    /** Makes accepted entries durable, and accepts no more. */
    @Override
    public void close() {
        KeyValueStore open = state.close();
        state.refused().forEach(each -> each.completion().accept(false));
        if (open != null) {
            open.close();
        }
    }
}
