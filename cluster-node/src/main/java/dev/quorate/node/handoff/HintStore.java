package dev.quorate.node.handoff;

import dev.quorate.node.handoff.HintStoreState.Admission;
import dev.quorate.node.handoff.HintStoreState.Waiting;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
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
 * Where hints are: a {@link KeyValueStore} that is opened when there is a first hint, and deleted
 * when there is none any more. Most nodes have none most of the time, and pay nothing.
 *
 * <p>Nothing here fails: what cannot be kept is refused, and a store that cannot be read ({@link
 * HintReader}) is set aside. Whatever waits for the disk runs on the executor that is given. Safe
 * for use by many threads.
 */
final class HintStore implements AutoCloseable {

    /** Told once whether an entry is kept. On any thread; must not block. */
    @FunctionalInterface
    interface Kept {
        void done(boolean kept);
    }

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

    /** Its lock guards it; nothing is called under it. */
    private final HintStoreState state;

    /**
     * @param opener opens the store in that directory
     * @param whenOpened told of each store that is opened, before anything is written to it; may
     *     wait for the disk
     * @param executor where it may be waited for the disk; throws {@link
     *     RejectedExecutionException} when too many do
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
     * A small store, which is forced once a second: a crash of the machine may lose that much. It
     * leaves the node's own store twice its reserve of disk.
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
     * Opens, in the background, what an earlier life has left, or what could not be used for a
     * while.
     *
     * @return false if there is nothing
     */
    boolean openWhatIsThere() {
        synchronized (state) {
            if (!state.mayOpen(ticker.nanos())) {
                return true;
            }
        }
        try {
            if (!directory.holdsStore()) {
                return false;
            }
        } catch (IOException e) {
            LOG.warn("Hints in {} are ignored: {}", directory, e.getMessage());
            return false;
        }
        boolean opens;
        synchronized (state) {
            opens = state.beginOpening();
        }
        if (opens) {
            beginOpening();
        }
        return true;
    }

    /** Deletes what an earlier life has left. */
    void forgetWhatIsThere() {
        try {
            if (directory.holdsStore()) {
                directory.empty();
            }
        } catch (IOException e) {
            LOG.warn("Hints in {} could not be deleted: {}", directory, e.getMessage());
        }
    }

    /** Keeps an entry, or says that it does not. What waits for the store is bounded. */
    void write(Entry entry, Kept kept) {
        Admission admission;
        synchronized (state) {
            admission = state.admit(entry, kept, ticker.nanos());
        }
        switch (admission) {
            case Admission.Write(KeyValueStore open) -> write(open, entry, kept);
            case Admission.Opens opens -> beginOpening();
            case Admission.Waits waits -> {}
            case Admission.Refused refused -> kept.done(false);
        }
    }

    private void write(KeyValueStore open, Entry entry, Kept kept) {
        open.write(
                entry,
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        ended();
                        kept.done(true);
                    }

                    @Override
                    public void failed(StorageException cause) {
                        ended();
                        kept.done(false);
                    }
                });
    }

    // ---- opening

    private void beginOpening() {
        try {
            executor.execute(this::open);
        } catch (RejectedExecutionException full) {
            shut(BUSY_NANOS);
        }
    }

    private void open() {
        KeyValueStore opened;
        News news = new News();
        try {
            opened = news.openedAs(openOrReplace(news));
        } catch (IOException | StorageException e) {
            LOG.warn("No hints are kept for now: {}", e.getMessage());
            shut(REOPEN_NANOS);
            return;
        }
        whenOpened.accept(opened);
        List<Waiting> due;
        synchronized (state) {
            due = state.opened(opened);
        }
        if (due == null) {
            opened.close();
        } else {
            due.forEach(each -> write(opened, each.entry(), each.kept()));
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

    /** There is no store for so long. What waited for one is refused. */
    private void shut(long forNanos) {
        List<Waiting> refused;
        synchronized (state) {
            refused = state.shut(ticker.nanos() + forNanos);
        }
        refused.forEach(each -> each.kept().done(false));
    }

    /** Hears of one store that it is broken. */
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
                executor.execute(() -> leave(told, null));
            } catch (RejectedExecutionException full) {
                // It refuses every write, until it is found to be damaged or the node ends.
            }
        }
    }

    /** Closes a store that cannot be used any more, and sets it aside if it is damaged. */
    void leave(@Nullable KeyValueStore broken, @Nullable CorruptionException damage) {
        boolean closes;
        synchronized (state) {
            closes = broken != null && state.leave(broken);
        }
        if (!closes || broken == null) {
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
        shut(damage == null ? REOPEN_NANOS : 0);
    }

    // ---- being used

    /** Whether there is a store that can be read. */
    boolean isOpen() {
        synchronized (state) {
            return state.isOpen();
        }
    }

    /** Whether there is none, and so no hint. */
    boolean isGone() {
        synchronized (state) {
            if (!state.isShut()) {
                return false;
            }
        }
        try {
            return !directory.holdsStore();
        } catch (IOException e) {
            return false;
        }
    }

    /** The store, which is not deleted until it is {@link #ended}; null if none is open. */
    @Nullable KeyValueStore use() {
        synchronized (state) {
            return state.use();
        }
    }

    /** Something that was begun with the store has ended. */
    void ended() {
        synchronized (state) {
            state.ended();
        }
    }

    /** How many entries were ever taken; see {@link #deleteIfStill}. */
    long taken() {
        synchronized (state) {
            return state.taken();
        }
    }

    /**
     * Gives back the disk that marks of hints take which were sent or have expired, as long as they
     * are as old as that. Without a mark an older hint of its key may be sent once more, which does
     * no harm; so it does not matter what still comes.
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

    // ---- the end

    /**
     * Deletes the store, in which somebody has just seen no hint.
     *
     * @param takenBefore what {@link #taken} was before that; if anything came since, it stays
     */
    void deleteIfStill(long takenBefore) {
        try {
            executor.execute(() -> deleteNow(takenBefore));
        } catch (RejectedExecutionException full) {
            // Another time.
        }
    }

    private void deleteNow(long takenBefore) {
        KeyValueStore unused;
        synchronized (state) {
            unused = state.beginDeletion(takenBefore);
        }
        if (unused == null) {
            return;
        }
        try {
            unused.close();
            directory.empty();
        } catch (IOException | StorageException e) {
            LOG.warn("The store of hints could not be deleted: {}", e.getMessage());
        }
        boolean reopen;
        synchronized (state) {
            reopen = state.deleted();
        }
        if (reopen) {
            beginOpening();
        }
    }

    /** Keeps what was taken, and takes no more. */
    @Override
    public void close() {
        KeyValueStore open;
        List<Waiting> refused;
        synchronized (state) {
            open = state.close();
            refused = state.refused();
        }
        refused.forEach(each -> each.kept().done(false));
        if (open != null) {
            open.close();
        }
    }
}
