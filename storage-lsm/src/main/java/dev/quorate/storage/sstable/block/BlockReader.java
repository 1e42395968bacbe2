package dev.quorate.storage.sstable.block;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.sstable.file.TableFormat;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads data blocks, one at a time, from a verified copy on the heap. Reused by one thread, so that
 * a look-up allocates nothing but its entry.
 *
 * <p>A block with a single large entry is not copied: its value is read from the file directly into
 * the array of the entry, and only by {@link #entry}. So a value of many megabytes is in memory
 * once, and a merge loads only the one that it writes.
 */
public final class BlockReader extends LoadedBlock {

    /** The key of the current entry, assembled by {@link #next}. */
    private byte[] key = new byte[64];

    // ---- For DescendingBlock.

    /** The number of runs of entries that begin at a restart. */
    int runs() {
        return single ? 1 : restartCount;
    }

    /** Positions before the first entry of a run. */
    void rewindToRun(int run) {
        rewind(single ? 0 : restart(run));
    }

    int endOfRun(int run) {
        return run + 1 < runs() ? restart(run + 1) : restartsAt;
    }

    /** The last run that may contain a key before {@code target}. */
    int runBefore(byte[] target) {
        return single ? 0 : lastRestartNotAfter(target);
    }

    int position() {
        return next;
    }

    /** Returns to an entry that {@link #next} has visited. */
    void returnTo(int position, byte[] itsKey) {
        next = position;
        if (key.length < itsKey.length) {
            key = new byte[itsKey.length];
        }
        System.arraycopy(itsKey, 0, key, 0, itsKey.length);
        keyBytes = itsKey.length;
        decode();
    }

    CorruptionException misplaced(int position) {
        return corrupt(position, "entries and restarts differ");
    }

    CorruptionException unordered(int position) {
        return corrupt(position, "keys do not ascend");
    }

    /**
     * Finds the entry of {@code target}.
     *
     * @return its entry, whose key is {@code target} itself; null if there is none
     */
    public @Nullable Entry find(byte[] target) {
        if (single) {
            decode();
            if (Arrays.equals(block, suffixAt, suffixAt + suffixBytes, target, 0, target.length)) {
                return entry(target);
            }
            checkSingle();
            return null;
        }
        rewind(restart(lastRestartNotAfter(target)));
        // The number of leading bytes that the target shares with the previous entry, which is
        // smaller than the target: an entry that shares more bytes with the previous one is
        // smaller too, and an entry that shares fewer is larger.
        int matched = 0;
        while (next < restartsAt) {
            decode();
            keyBytes = shared + suffixBytes;
            if (shared > matched) {
                continue;
            }
            if (shared < matched) {
                return null;
            }
            int common = common(block, suffixAt, suffixAt + suffixBytes, target, matched);
            matched += common;
            if (common == suffixBytes) {
                if (matched == target.length) {
                    return entry(target);
                }
                continue;
            }
            if (matched == target.length
                    || Byte.compareUnsigned(block[suffixAt + common], target[matched]) > 0) {
                return null;
            }
        }
        return null;
    }

    private int lastRestartNotAfter(byte[] target) {
        int low = 0;
        int high = restartCount - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            rewind(restart(middle));
            decode();
            int order = compare(block, suffixAt, suffixAt + suffixBytes, target);
            if (order <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Moves to the first entry with a key at or after {@code target}; false if there is none. */
    public boolean seek(byte[] target) {
        rewind(single ? 0 : restart(lastRestartNotAfter(target)));
        while (next()) {
            if (compare(key, 0, keyBytes, target) >= 0) {
                return true;
            }
        }
        return false;
    }

    /** Moves to the next entry; false at the end of the block. */
    public boolean next() {
        if (next >= restartsAt) {
            return false;
        }
        decode();
        if (single) {
            checkSingle();
        }
        requireAscending();
        if (key.length < shared + suffixBytes) {
            key = Arrays.copyOf(key, Math.max(shared + suffixBytes, 2 * key.length));
        }
        System.arraycopy(block, suffixAt, key, shared, suffixBytes);
        keyBytes = shared + suffixBytes;
        return true;
    }

    private void requireAscending() {
        boolean ascends =
                Arrays.compareUnsigned(
                                key, shared, keyBytes, block, suffixAt, suffixAt + suffixBytes)
                        < 0;
        if (!ascends) {
            throw corrupt(suffixAt, "keys do not ascend");
        }
    }

    /** A copy of the current entry's key. */
    public byte[] key() {
        return Arrays.copyOf(key, keyBytes);
    }

    /** Compares the current entry's key with another. */
    public int compareKeyTo(byte[] other) {
        return compare(key, 0, keyBytes, other);
    }

    public Timestamp timestamp() {
        return new Timestamp(hybrid, node, step);
    }

    /**
     * The current entry.
     *
     * @param ownKey the entry's key
     */
    public Entry entry(byte[] ownKey) {
        byte[] value;
        if (single) {
            value = new byte[valueBytes];
            file().readAfter(block, valueAt, value, offset, length);
        } else {
            value = Arrays.copyOfRange(block, valueAt, valueAt + valueBytes);
        }
        return isTombstone()
                ? Entry.tombstone(ownKey, timestamp(), from)
                : Entry.expiring(ownKey, timestamp(), value, from, expiresAtMillis)
                        .withContentType(contentType());
    }

    /**
     * The value of the current entry if it is long; null otherwise. {@link #next} has verified it;
     * copying all of it from the beginning verifies it again, with the last piece.
     */
    public @Nullable UnreadValue unreadValue() {
        return single && !isTombstone() && valueBytes >= UnreadValue.MIN_BYTES
                ? new UnreadValue(
                        valueBytes, from, expiresAtMillis, contentType(), new VerifiedPieces())
                : null;
    }

    private final class VerifiedPieces implements UnreadValue.Pieces {

        private final CRC32C checksum = new CRC32C();
        private int verified;

        VerifiedPieces() {
            checksum.update(block, 0, valueAt);
        }

        @Override
        public void copy(int at, byte[] into, int count) {
            file().copy(offset + valueAt + at, count, into, 0);
            if (at == verified) {
                checksum.update(into, 0, count);
                verified += count;
                if (verified == valueBytes) {
                    file().requireSeal(checksum, valueAt + valueBytes, offset, length);
                }
            }
        }
    }

    /** The expiry of the entry, in milliseconds since 1970, or {@link Entry#NEVER}. */
    public long expiresAtMillis() {
        return expiresAtMillis;
    }

    public boolean isTombstone() {
        return flags == TableFormat.FLAG_TOMBSTONE;
    }

    /** Verifies a large block, of which only the head is loaded. */
    private void checkSingle() {
        file().readAfter(block, valueAt, null, offset, length);
    }

    /**
     * Compares {@code a} from {@code aFrom} to {@code aTo} with all of {@code b}, eight bytes at a
     * time. The vector code of {@code Arrays.compareUnsigned} is slower for short keys, and took
     * twice as long in a measured look-up.
     */
    private static int compare(byte[] a, int aFrom, int aTo, byte[] b) {
        int common = Math.min(aTo - aFrom, b.length);
        int i = 0;
        for (; i + Long.BYTES <= common; i += Long.BYTES) {
            long x = (long) TableFormat.ARRAY_LONG.get(a, aFrom + i);
            long y = (long) TableFormat.ARRAY_LONG.get(b, i);
            if (x != y) {
                return Long.compareUnsigned(x, y);
            }
        }
        for (; i < common; i++) {
            int order = Byte.compareUnsigned(a[aFrom + i], b[i]);
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(aTo - aFrom, b.length);
    }

    /**
     * The length of the common prefix of {@code a} from {@code aFrom} and {@code b} from {@code
     * bFrom}.
     */
    private static int common(byte[] a, int aFrom, int aTo, byte[] b, int bFrom) {
        int most = Math.min(aTo - aFrom, b.length - bFrom);
        int i = 0;
        for (; i + Long.BYTES <= most; i += Long.BYTES) {
            long x = (long) TableFormat.ARRAY_LONG.get(a, aFrom + i);
            long y = (long) TableFormat.ARRAY_LONG.get(b, bFrom + i);
            if (x != y) {
                return i + Long.numberOfLeadingZeros(x ^ y) / Byte.SIZE;
            }
        }
        while (i < most && a[aFrom + i] == b[bFrom + i]) {
            i++;
        }
        return i;
    }
}
