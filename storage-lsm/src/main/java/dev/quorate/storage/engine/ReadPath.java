package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.cursor.ConcatenatingCursor;
import dev.quorate.storage.cursor.MergingCursor;
import dev.quorate.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the newest entry of a key. Timestamps come from outside, so an old one may arrive late and
 * lie in a newer place: the first hit is not the answer. Every place that may hold something as new
 * as the best so far is asked. A key is hashed once, by whoever looks it up ({@link SSTable#hash}):
 * the memtables and the tables go by the same hash.
 */
final class ReadPath {

    /** A walk over one table. */
    @FunctionalInterface
    interface TableScan {
        EntryCursor of(SSTable table, byte[] start, byte @Nullable [] end);
    }

    private ReadPath() {}

    /** The newest entry of a key in the memtables, or null. Needs no reference. */
    static @Nullable Entry inMemtables(SuperVersion version, byte[] key, long hash) {
        Entry best = version.active().table().get(key, hash);
        for (SegmentMemtable memtable : version.sealed()) {
            if (mayBeat(memtable.newest(), best)) {
                best = newer(best, memtable.table().get(key, hash));
            }
        }
        return best;
    }

    /** Whether a table must be asked, given the best that the memtables have. */
    static boolean needsTables(SuperVersion version, @Nullable Entry best) {
        return !version.tables().isEmpty() && mayBeat(version.newestInTables(), best);
    }

    /**
     * The newer of {@code best} and what the tables have. Blocks for pages that come from disk.
     *
     * @param best what the memtables have
     */
    static @Nullable Entry inTables(
            SuperVersion version, byte[] key, long hash, @Nullable Entry best) {
        try {
            return askTables(version, key, hash, best);
        } catch (StorageException e) {
            return despiteDamage(version, key, hash, best, e);
        }
    }

    /**
     * The newest entry all the same, if it is newer than anything in what cannot be read. Asks each
     * table, also where one would do.
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
        if (mayBeat(unread, result)) {
            throw damage;
        }
        return result;
    }

    private static @Nullable Entry askTables(
            SuperVersion version, byte[] key, long hash, @Nullable Entry best) {
        Entry result = best;
        for (SSTable table : version.overlapping()) {
            if (!mayBeat(table.metadata().newest(), result)) {
                break;
            }
            if (table.metadata().mayHold(key)) {
                result = newer(result, table.find(key, hash));
            }
        }
        for (int level = 1; level < version.levels(); level++) {
            SSTable table = version.inLevel(level, key);
            if (table != null && mayBeat(table.metadata().newest(), result)) {
                result = newer(result, table.find(key, hash));
            }
        }
        return result;
    }

    /** As {@link #inTables}, but gives up rather than wait for the disk, if nothing is damaged. */
    static Lookup inResidentTables(
            SuperVersion version, byte[] key, long hash, @Nullable Entry best) {
        try {
            return askResidentTables(version, key, hash, best);
        } catch (StorageException e) {
            return asLookup(despiteDamage(version, key, hash, best, e));
        }
    }

    private static Lookup askResidentTables(
            SuperVersion version, byte[] key, long hash, @Nullable Entry best) {
        Entry result = best;
        for (SSTable table : version.overlapping()) {
            if (!mayBeat(table.metadata().newest(), result)) {
                break;
            }
            if (table.metadata().mayHold(key)) {
                switch (table.findResident(key, hash)) {
                    case Lookup.Found(Entry found) -> result = newer(result, found);
                    case Lookup.Absent absent -> {}
                    case Lookup.NotResident later -> {
                        return later;
                    }
                }
            }
        }
        for (int level = 1; level < version.levels(); level++) {
            SSTable table = version.inLevel(level, key);
            if (table != null && mayBeat(table.metadata().newest(), result)) {
                switch (table.findResident(key, hash)) {
                    case Lookup.Found(Entry found) -> result = newer(result, found);
                    case Lookup.Absent absent -> {}
                    case Lookup.NotResident later -> {
                        return later;
                    }
                }
            }
        }
        return asLookup(result);
    }

    static Lookup asLookup(@Nullable Entry entry) {
        return entry == null ? Lookup.Absent.ABSENT : new Lookup.Found(entry);
    }

    /** Every entry of a key, wherever it lies. The version has to be retained. */
    static Holdings holdings(SuperVersion version, byte[] key) {
        long hash = SSTable.hash(key);
        List<Held> entries = new ArrayList<>();
        add(version.active(), key, hash, Place.Active.ACTIVE, entries);
        for (SegmentMemtable memtable : version.sealed()) {
            add(memtable, key, hash, Place.Sealed.SEALED, entries);
        }
        List<Unread> unread = new ArrayList<>();
        for (SSTable table : version.overlapping()) {
            add(table, key, hash, entries, unread);
        }
        for (int level = 1; level < version.levels(); level++) {
            SSTable table = version.inLevel(level, key);
            if (table != null) {
                add(table, key, hash, entries, unread);
            }
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

    /** What a range of keys takes, in the memtables and the tables. The version is retained. */
    static long bytesBetween(SuperVersion version, byte[] start, byte @Nullable [] end) {
        long bytes = entryBytes(version.active(), start, end);
        for (SegmentMemtable memtable : version.sealed()) {
            bytes += entryBytes(memtable, start, end);
        }
        for (SSTable table : version.tables()) {
            bytes += table.bytesBetween(start, end);
        }
        return bytes;
    }

    private static long entryBytes(SegmentMemtable memtable, byte[] start, byte @Nullable [] end) {
        long bytes = 0;
        try (EntryCursor entries = memtable.table().scan(start, end)) {
            while (entries.next()) {
                bytes += entries.entry().key().length + entries.entry().valueBytes();
            }
        }
        return bytes;
    }

    /** A place of equal age is asked too: ties are broken by {@link Entry#supersedes}. */
    private static boolean mayBeat(Timestamp newest, @Nullable Entry best) {
        return best == null || !best.timestamp().isAfter(newest);
    }

    private static @Nullable Entry newer(@Nullable Entry best, @Nullable Entry found) {
        if (best == null) {
            return found;
        }
        return found != null && found.supersedes(best) ? found : best;
    }

    /**
     * A walk over a version that is retained already; closing it releases the version.
     *
     * @param wallMillis what expired until then is given as a tombstone
     * @param scan how a table is walked
     * @param onCorruption told once if the walk ends at a damage
     */
    static EntryCursor scan(
            SuperVersion version,
            int reference,
            byte[] start,
            byte @Nullable [] end,
            long wallMillis,
            TableScan scan,
            Runnable onCorruption) {
        List<EntryCursor> sources = new ArrayList<>();
        try {
            sources.add(version.active().table().scan(start, end));
            for (SegmentMemtable memtable : version.sealed()) {
                sources.add(memtable.table().scan(start, end));
            }
            for (SSTable table : version.overlapping()) {
                if (table.metadata().overlaps(start, end)) {
                    sources.add(scan.of(table, start, end));
                }
            }
            for (int level = 1; level < version.levels(); level++) {
                sources.add(scanLevel(version.level(level), start, end, scan));
            }
            return new VersionCursor(
                    version, reference, new MergingCursor(sources), wallMillis, onCorruption);
        } catch (RuntimeException e) {
            sources.forEach(EntryCursor::close);
            version.references().release(reference);
            throw e;
        }
    }

    /** One table after the other, so that a level costs one block however large it is. */
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
                return entries.entry().asOf(wallMillis);
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
