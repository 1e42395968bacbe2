package dev.quorate.loadtest.engine;

import dev.quorate.storage.Compression;
import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreClocks;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.io.DiskFiles;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The store of Quorate, with the options of a node. */
final class QuorateEngine implements Engine {

    private static final int NODE = 1;

    private final LsmStore store;
    private final AtomicLong clock;

    QuorateEngine(Path directory, boolean durable, Compression compression) {
        StorageOptions options =
                StorageOptions.defaults()
                        .withDurability(durable ? Durability.FSYNC : Durability.ASYNC)
                        .withCompression(compression);
        store =
                LsmStore.open(
                        new DiskFiles(),
                        directory,
                        options,
                        StoreExecutors.threads("engine"),
                        new StoreClocks(System::nanoTime),
                        cause -> {});
        clock = new AtomicLong(store.newestTimestamp().hybrid());
    }

    @Override
    public Session session() {
        return new StoreSession();
    }

    @Override
    public void flush() {
        store.flush();
    }

    @Override
    public OptionalDouble writeAmplification() {
        Figures figures = store.figures();
        double written =
                figures.value("wal_bytes")
                        + figures.value("flush_bytes")
                        + figures.value("compaction_bytes", "dir", "written");
        return OptionalDouble.of(written / Math.max(1, figures.value("write_bytes")));
    }

    @Override
    public void close() {
        store.close();
    }

    /** A session, which counts its writes and receives their completions. */
    private final class StoreSession implements Session, WriteCompletion {

        /** Maximum outstanding writes of a session; a node may have more. */
        private static final int WINDOW = 1024;

        private final AtomicLong completed = new AtomicLong();
        private long submitted;
        private volatile long wakeAt = Long.MAX_VALUE;
        private volatile @Nullable Thread waiting;
        private volatile @Nullable StorageException failure;

        @Override
        public void stored(Timestamp newest) {
            countOut();
        }

        @Override
        public void failed(StorageException cause) {
            failure = cause;
            countOut();
        }

        private void countOut() {
            if (completed.incrementAndGet() >= wakeAt) {
                LockSupport.unpark(waiting);
            }
        }

        private void submit(byte[] key, byte[] value) {
            Timestamp timestamp = new Timestamp(clock.incrementAndGet(), NODE);
            submitted++;
            store.write(Entry.value(key, timestamp, value, 1), this);
        }

        private void awaitCompleted(long count) {
            if (completed.get() < count) {
                waiting = Thread.currentThread();
                wakeAt = count;
                while (completed.get() < count) {
                    LockSupport.park(this);
                }
                wakeAt = Long.MAX_VALUE;
            }
            StorageException cause = failure;
            if (cause != null) {
                throw cause;
            }
        }

        @Override
        public void put(byte[] key, byte[] value) {
            submit(key, value);
            awaitCompleted(submitted);
        }

        @Override
        public void stream(byte[] key, byte[] value) {
            submit(key, value);
            if (submitted - completed.get() >= WINDOW) {
                awaitCompleted(submitted - WINDOW / 2);
            }
        }

        @Override
        public void drain() {
            awaitCompleted(submitted);
        }

        @Override
        public long head(byte[] key) {
            return switch (store.lookup(key)) {
                case Lookup.Found(Entry entry) -> TrialData.head(entry.value());
                case Lookup.Absent absent -> NONE;
                case Lookup.NotResident never -> throw new IllegalStateException();
            };
        }

        @Override
        public long scan() {
            long entries = 0;
            long bytes = 0;
            try (EntryCursor cursor = store.scan(new byte[0], null)) {
                while (cursor.next()) {
                    Entry entry = cursor.entry();
                    bytes += entry.key().length + entry.valueBytes();
                    entries++;
                }
            }
            return bytes == 0 ? 0 : entries;
        }
    }
}
