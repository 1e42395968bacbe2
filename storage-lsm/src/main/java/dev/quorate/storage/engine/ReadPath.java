package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.cursor.ConcatenatingCursor;
import dev.quorate.storage.cursor.MergingCursor;
import dev.quorate.storage.memtable.Memtable;
import dev.quorate.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the newest entry of a key. Timestamps are assigned outside the store, so an old entry may
 * arrive late and be in a newer place: the first hit is not the answer. The search covers every
 * place that may contain an entry as new as the best so far. The caller hashes the key once ({@link
 * SSTable#hash}): memtables and tables use the same hash.
 */
final class ReadPath {

    @FunctionalInterface
    interface TableScan {
        EntryCursor of(SSTable table, byte[] start, byte @Nullable [] end);
    }

    private ReadPath() {}

    /** The newest entry of a key in the memtables, or null. The version must be retained. */
    static @Nullable Entry inMemtables(SuperVersion version, byte[] key, long hash) {
        return inMemtables(version, key, hash, Entry.MAX_VALUE_BYTES);
    }

    /**
     * The same, or {@link Memtable#TOO_LONG} if it would have to read a value of more than {@code
     * maxValueBytes}.
     */
    @SuppressWarnings("ReferenceEquality") // TOO_LONG is a sentinel.
    static @Nullable Entry inMemtables(
            SuperVersion version, byte[] key, long hash, int maxValueBytes) {
        Entry best = version.active().table().get(key, hash, maxValueBytes);
        for (SegmentMemtable memtable : version.sealed()) {
            if (best != Memtable.TOO_LONG && maySupersede(memtable.newest(), best)) {
                Entry found = memtable.table().get(key, hash, maxValueBytes);
                best = found == Memtable.TOO_LONG ? found : newer(best, found);
            }
        }
        return best;
    }

    /** Whether the tables must be searched, given the best entry of the memtables. */
    static boolean needsTables(SuperVersion version, @Nullable Entry best) {
        return !version.tables().isEmpty() && maySupersede(version.newestInTables(), best);
    }

    /**
     * The newer of {@code best} and the newest entry in the tables.
     *
     * @param best the newest entry in the memtables
     * @param residentOnly whether to return {@link Lookup.NotResident} instead of waiting for the
     *     disk, unless a table is damaged
     */
    static Lookup inTables(
            SuperVersion version,
            byte[] key,
            long hash,
            @Nullable Entry best,
            boolean residentOnly) {
        try {
            return searchTables(version, key, hash, best, residentOnly);
        } catch (StorageException e) {
            return asLookup(despiteDamage(version, key, hash, best, e));
        }
    }

    /**
     * The newest readable entry, if it is newer than every unreadable one can be. Searches every
     * table, without short cuts.
     */
    private static @Nullable Entry despiteDamage(
            SuperVersion version,
            byte[] key,
            long hash,
            @Nullable Entry best,
            StorageException damage) {
        Entry result = best;
        Timestamp unread = Timestamp.ZERO;
        for (SSTable table : version.tables()) {
            try {
                result = newer(result, table.find(key, hash));
            } catch (StorageException e) {
                Timestamp newest = table.metadata().newest();
                unread = newest.isAfter(unread) ? newest : unread;
            }
        }
        if (maySupersede(unread, result)) {
            throw damage;
        }
        return result;
    }

    private static Lookup searchTables(
            SuperVersion version,
            byte[] key,
            long hash,
            @Nullable Entry best,
            boolean residentOnly) {
        Entry result = best;
        for (SSTable table : version.overlapping()) {
            if (!maySupersede(table.metadata().newest(), result)) {
                break;
            }
            Lookup found = table.find(key, hash, residentOnly);
            if (found instanceof Lookup.NotResident) {
                return found;
            }
            result = newer(result, found);
        }
        for (int level = 1; level < version.levels(); level++) {
            SSTable table = version.inLevel(level, key);
            if (table != null && maySupersede(table.metadata().newest(), result)) {
                Lookup found = table.find(key, hash, residentOnly);
                if (found instanceof Lookup.NotResident) {
                    return found;
                }
                result = newer(result, found);
            }
        }
        return asLookup(result);
    }

    private static @Nullable Entry newer(@Nullable Entry best, Lookup found) {
        return found instanceof Lookup.Found(Entry entry) ? newer(best, entry) : best;
    }

    static Lookup asLookup(@Nullable Entry entry) {
        return entry == null ? Lookup.Absent.ABSENT : new Lookup.Found(entry);
    }

    /** Every entry of a key. The version must be retained. */
    static Holdings holdings(SuperVersion version, byte[] key) {
        long hash = SSTable.hash(key);
        List<Held> entries = new ArrayList<>();
        add(version.active(), key, hash, Place.Active.ACTIVE, entries);
        for (SegmentMemtable memtable : version.sealed()) {
            add(memtable, key, hash, Place.Sealed.SEALED, entries);
        }
        List<Unread> unread = new ArrayList<>();
        for (SSTable table : version.withKey(key)) {
            add(table, key, hash, entries, unread);
        }
        return new Holdings(entries, unread);
    }

    private static void add(
            SegmentMemtable memtable, byte[] key, long hash, Place place, List<Held> entries) {
        Entry entry = memtable.table().get(key, hash);
        if (entry != null) {
            entries.add(Held.of(entry, place));
        }
    }

    private static void add(
            SSTable table, byte[] key, long hash, List<Held> entries, List<Unread> unread) {
        Place place = new Place.Table(table.metadata().number(), table.metadata().level());
        try {
            Entry entry = table.find(key, hash);
            if (entry != null) {
                entries.add(Held.of(entry, place));
            }
        } catch (StorageException e) {
            unread.add(
                    new Unread(place, table.metadata().newest(), String.valueOf(e.getMessage())));
        }
    }

    /** The size of a range of keys, in memtables and tables. The version must be retained. */
    static long bytesBetween(SuperVersion version, byte[] start, byte @Nullable [] end) {
        long bytes = 0;
        for (SegmentMemtable memtable : version.memtables()) {
            bytes += memtable.table().bytesBetween(start, end);
        }
        for (SSTable table : version.tables()) {
            bytes += table.bytesBetween(start, end);
        }
        return bytes;
    }

    /** True for equal timestamps too: {@link Entry#supersedes} breaks ties. */
    private static boolean maySupersede(Timestamp newest, @Nullable Entry best) {
        return best == null || !best.timestamp().isAfter(newest);
    }

    private static @Nullable Entry newer(@Nullable Entry best, @Nullable Entry found) {
        if (best == null) {
            return found;
        }
        return found != null && found.supersedes(best) ? found : best;
    }

    /**
     * A cursor over a version that is already retained; closing it releases the version.
     *
     * @param wallMillis entries expired at this time are returned as tombstones
     * @param scan opens the cursor of a table, in the order {@code order}
     * @param onCorruption called once if the cursor fails at corruption
     */
    static EntryCursor scan(
            SuperVersion version,
            int reference,
            byte[] start,
            byte @Nullable [] end,
            KeyOrder order,
            long wallMillis,
            TableScan scan,
            Runnable onCorruption) {
        List<EntryCursor> sources = new ArrayList<>();
        try {
            for (SegmentMemtable memtable : version.memtables()) {
                sources.add(memtable.table().scan(start, end, order));
            }
            for (SSTable table : version.overlapping()) {
                if (table.metadata().overlaps(start, end)) {
                    sources.add(scan.of(table, start, end));
                }
            }
            for (int level = 1; level < version.levels(); level++) {
                List<SSTable> tables = version.level(level);
                boolean ascends = order == KeyOrder.ASCENDING;
                sources.add(scanLevel(ascends ? tables : tables.reversed(), start, end, scan));
            }
            return new VersionCursor(
                    version,
                    reference,
                    new MergingCursor(sources, order),
                    wallMillis,
                    onCorruption);
        } catch (RuntimeException | Error e) {
            sources.forEach(EntryCursor::close);
            version.references().release(reference);
            throw e;
        }
    }

    /** One table after another: a level needs one block of memory, whatever its size. */
    private static EntryCursor scanLevel(
            List<SSTable> level, byte[] start, byte @Nullable [] end, TableScan scan) {
        List<Supplier<EntryCursor>> inOrder = new ArrayList<>();
        for (SSTable table : level) {
            if (table.metadata().overlaps(start, end)) {
                inOrder.add(() -> scan.of(table, start, end));
            }
        }
        return new ConcatenatingCursor(inOrder);
    }

    private static final class VersionCursor implements EntryCursor {
        private final SuperVersion version;
        private final int reference;
        private final EntryCursor entries;
        private final long wallMillis;
        private final Runnable onCorruption;
        private boolean corrupt;
        private boolean closed;

        VersionCursor(
                SuperVersion version,
                int reference,
                EntryCursor entries,
                long wallMillis,
                Runnable onCorruption) {
            this.version = version;
            this.reference = reference;
            this.entries = entries;
            this.wallMillis = wallMillis;
            this.onCorruption = onCorruption;
        }

        @Override
        public boolean next() {
            try {
                return entries.next();
            } catch (CorruptionException e) {
                throw counted(e);
            }
        }

        @Override
        public Entry entry() {
            try {
                UnreadValue unread = entries.unreadValue();
                return unread != null && Entry.isExpired(unread.expiresAtMillis(), wallMillis)
                        ? Entry.tombstone(entries.key(), entries.timestamp(), unread.from())
                        : entries.entry().asOf(wallMillis);
            } catch (CorruptionException e) {
                throw counted(e);
            }
        }

        @Override
        public byte[] key() {
            return entries.key();
        }

        @Override
        public Timestamp timestamp() {
            return entries.timestamp();
        }

        @Override
        public @Nullable UnreadValue unreadValue() {
            UnreadValue unread = entries.unreadValue();
            if (unread == null || Entry.isExpired(unread.expiresAtMillis(), wallMillis)) {
                return null;
            }
            return unread.readBy((at, into, count) -> copy(unread, at, into, count));
        }

        private void copy(UnreadValue unread, int at, byte[] into, int count) {
            try {
                unread.copy(at, into, count);
            } catch (CorruptionException e) {
                throw counted(e);
            }
        }

        private CorruptionException counted(CorruptionException e) {
            if (!corrupt) {
                corrupt = true;
                onCorruption.run();
            }
            return e;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                entries.close();
                version.references().release(reference);
            }
        }
    }
}
