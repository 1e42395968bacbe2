package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.memtable.Memtable;
import dev.quorate.storage.sstable.SSTable;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Reads the current version of a store: retains it, applies the expiry, and reports damage. {@link
 * ReadPath} searches the version.
 */
final class StoreReads {

    private final LiveVersion live;
    private final ResidencyAge residency;
    private final StoreClocks clocks;
    private final Runnable examineSuspects;
    private final LongAdder corrupt = new LongAdder();

    /**
     * @param examineSuspects called after a table could not be read
     */
    StoreReads(
            LiveVersion live,
            ResidencyAge residency,
            StoreClocks clocks,
            Runnable examineSuspects) {
        this.live = live;
        this.residency = residency;
        this.clocks = clocks;
        this.examineSuspects = examineSuspects;
    }

    /**
     * @param mayWait whether to wait for the disk; if not, the look-up ends at a page that is not
     *     in memory
     */
    @SuppressWarnings("ReferenceEquality") // TOO_LONG is a sentinel.
    Lookup lookup(byte[] key, boolean mayWait) {
        long hash = SSTable.hash(key);
        try (LiveVersion.Retained retained = live.retain()) {
            SuperVersion version = retained.version();
            int maxValueBytes = mayWait ? Entry.MAX_VALUE_BYTES : Lookup.MAX_RESIDENT_BYTES;
            Entry best = ReadPath.inMemtables(version, key, hash, maxValueBytes);
            boolean needsTables = best != Memtable.TOO_LONG && ReadPath.needsTables(version, best);
            if (needsTables && version.active().table().isNewest(key, hash)) {
                needsTables = false;
                best = ReadPath.inMemtables(version, key, hash, maxValueBytes);
            }
            if (best == Memtable.TOO_LONG) {
                return Lookup.NotResident.TOO_LONG;
            }
            Lookup found =
                    needsTables
                            ? inTables(version, key, hash, best, mayWait)
                            : ReadPath.asLookup(best);
            return withoutExpired(found);
        } catch (CorruptionException e) {
            onCorruption();
            throw e;
        } catch (StorageException.Io e) {
            examineSuspects.run();
            throw e;
        } catch (InternalError e) {
            throw unreadable(e);
        }
    }

    private Lookup inTables(
            SuperVersion version, byte[] key, long hash, @Nullable Entry best, boolean mayWait) {
        if (!mayWait) {
            residency.check(version);
        }
        Lookup found = ReadPath.inTables(version, key, hash, best, !mayWait);

        if (best != null && found instanceof Lookup.Found(Entry newest)) {
            version.active().table().noteNewest(key, hash, newest);
        }
        return found;
    }

    /** Reads the clock only for entries with an expiry, which are rare. */
    private Lookup withoutExpired(Lookup found) {
        if (found instanceof Lookup.Found(Entry entry)
                && entry.expiresAtMillis() != Entry.NEVER
                && entry.isExpired(clocks.expiredMillis().getAsLong())) {
            return new Lookup.Found(entry.asOf(Long.MAX_VALUE));
        }
        return found;
    }

    /** The JVM throws an InternalError if a page of a mapped file cannot be read. */
    static StorageException unreadable(InternalError e) {
        return new StorageException.Io("a mapped file could not be read: " + e.getMessage(), e);
    }

    EntryCursor scan(byte[] start, byte @Nullable [] end, KeyOrder order, ReadPath.TableScan scan) {
        LiveVersion.Retained retained = live.retain();
        return ReadPath.scan(
                retained.version(),
                retained.reference(),
                start,
                end,
                order,
                clocks.expiredMillis().getAsLong(),
                scan,
                this::onCorruption);
    }

    long bytesBetween(byte[] start, byte @Nullable [] end) {
        try (LiveVersion.Retained retained = live.retain()) {
            return ReadPath.bytesBetween(retained.version(), start, end);
        }
    }

    Holdings holdings(byte[] key) {
        try (LiveVersion.Retained retained = live.retain()) {
            return ReadPath.holdings(retained.version(), key);
        }
    }

    private void onCorruption() {
        corrupt.increment();
        examineSuspects.run();
    }

    long corrupt() {
        return corrupt.sum();
    }
}
