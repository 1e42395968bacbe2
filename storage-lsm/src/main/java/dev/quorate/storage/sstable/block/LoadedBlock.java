package dev.quorate.storage.sstable.block;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.ContentTypes;
import dev.quorate.storage.format.MalformedException;
import dev.quorate.storage.sstable.file.Lz4;
import dev.quorate.storage.sstable.file.TableFile;
import dev.quorate.storage.sstable.file.TableFormat;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A verified copy of one data block on the heap, and the decoder of its entries.
 *
 * <p>Every length is checked against the block, although checksums cover all decoded bytes: a bug
 * elsewhere must not cause a read outside the block.
 */
abstract class LoadedBlock {

    private static final int LARGE_BLOCK_BYTES = 16 << 10;

    /** Bytes of a large block read to decode its first entry; more if the key is long. */
    private static final int HEAD_BYTES = 4 << 10;

    private static final int RESTART_BYTES = Integer.BYTES;
    private static final int SMALLEST_BLOCK_BYTES = 2 * RESTART_BYTES + TableFormat.TRAILER_BYTES;

    private @Nullable TableFile file;
    long offset;
    int length;
    byte[] block = new byte[LARGE_BLOCK_BYTES];

    /** Bytes of the block that are in {@link #block}. */
    private int available;

    /** The second array, with which {@link #block} is swapped on expansion. */
    private byte[] spare = {};

    private boolean expanded;

    int restartsAt;
    int restartCount;
    boolean single;

    // The current entry, and the position of the next one.
    int next;
    int shared;
    int suffixAt;
    int suffixBytes;

    /** The flags without those of the step and the content type. */
    int flags;

    int from;
    long hybrid;
    int node;
    long step;
    long expiresAtMillis;
    private int typeAt;
    private int typeBytes;
    int valueAt;
    int valueBytes;

    /** The end of the number that {@link #varint} read last. */
    private int varintEnd;

    /** Length of the current entry's key; 0 before the entry of a restart. */
    int keyBytes;

    /**
     * Loads a block, positioned before its first entry.
     *
     * @throws CorruptionException if it is not an intact data block; damage in a large block may be
     *     detected only when its entry is read
     */
    public final void load(TableFile from, long blockOffset, int blockBytes) {
        file = from;
        expanded = false;
        offset = blockOffset;
        length = blockBytes;
        if (blockBytes < SMALLEST_BLOCK_BYTES) {
            throw corrupt(0, "a block of " + blockBytes + " bytes");
        }
        single = blockBytes > LARGE_BLOCK_BYTES && loadHead(from);
        if (!single) {
            if (blockBytes > TableFormat.MAX_SHARED_BLOCK_BYTES) {
                from.check(blockOffset, blockBytes);
                throw corrupt(0, "a block of " + blockBytes + " bytes has many entries");
            }
            if (block.length < blockBytes) {
                block = new byte[blockBytes];
            }
            from.read(blockOffset, blockBytes, block);
            locateRestarts(contentBytes(blockBytes));
        }
        rewind(0);
    }

    /** Reads the first entry without its value; false if there are others. */
    private boolean loadHead(TableFile from) {
        byte kind =
                from.bytes()
                        .get(ValueLayout.JAVA_BYTE, offset + length - TableFormat.TRAILER_BYTES);
        if (kind != TableFormat.KIND_DATA) {
            return false;
        }
        available = HEAD_BYTES;
        restartsAt = length - SMALLEST_BLOCK_BYTES;
        from.copy(offset, available, block, 0);
        rewind(0);
        decodeLengths();
        int headBytes = suffixAt + suffixBytes;
        if (headBytes > available) {
            if (headBytes > block.length) {
                block = new byte[headBytes];
            }
            available = Math.min(block.length, length);
            from.copy(offset, available, block, 0);
        }
        return valueAt + valueBytes == restartsAt;
    }

    /** Decompresses the block if necessary; returns the size of entries and restarts. */
    private int contentBytes(int blockBytes) {
        available = blockBytes;
        int stored = blockBytes - TableFormat.TRAILER_BYTES;
        byte kind = block[stored];
        return switch (kind) {
            case TableFormat.KIND_DATA -> stored;
            case TableFormat.KIND_DATA_LZ4 -> expand(stored);
            default -> throw corrupt(stored, "kind %02x where data should be".formatted(kind));
        };
    }

    private int expand(int stored) {
        int rawBytes = (int) TableFormat.ARRAY_INT.get(block, 0);
        if (rawBytes <= 2 * RESTART_BYTES || rawBytes > TableFormat.MAX_SHARED_BLOCK_BYTES) {
            throw corrupt(0, "expands to " + Integer.toUnsignedString(rawBytes) + " bytes");
        }
        byte[] compressed = block;
        // Large enough for the head of a large block, which may be read into it next.
        byte[] raw =
                spare.length < rawBytes ? new byte[Math.max(rawBytes, LARGE_BLOCK_BYTES)] : spare;
        if (!Lz4.expand(compressed, RESTART_BYTES, stored - RESTART_BYTES, raw, rawBytes)) {
            throw corrupt(0, "it does not expand to " + rawBytes + " bytes");
        }
        block = raw;
        spare = compressed;
        available = rawBytes;
        expanded = true;
        return rawBytes;
    }

    private void locateRestarts(int contentBytes) {
        int countAt = contentBytes - RESTART_BYTES;
        restartCount = (int) TableFormat.ARRAY_INT.get(block, countAt);
        if (restartCount < 1 || restartCount > countAt / RESTART_BYTES) {
            throw corrupt(countAt, "restart count " + restartCount);
        }
        restartsAt = countAt - restartCount * RESTART_BYTES;
    }

    final int restart(int index) {
        int restart = (int) TableFormat.ARRAY_INT.get(block, restartsAt + index * RESTART_BYTES);
        if (restart < 0 || restart >= restartsAt) {
            throw corrupt(restartsAt + index * RESTART_BYTES, "restart at " + restart);
        }
        return restart;
    }

    /** Positions before the entry of a restart. */
    final void rewind(int position) {
        next = position;
        keyBytes = 0;
    }

    final void decode() {
        decodeLengths();
        if (suffixAt + suffixBytes > available) {
            throw corrupt(suffixAt, "a key of " + suffixBytes + " bytes is cut off");
        }
        next = valueAt + valueBytes;
    }

    private void decodeLengths() {
        int at = next;
        shared = varint(at);
        at = varintEnd;
        suffixBytes = varint(at);
        at = varintEnd;
        if (shared > keyBytes || suffixBytes == 0 || suffixBytes > Entry.MAX_KEY_BYTES - shared) {
            throw corrupt(at, "key of " + shared + " shared and " + suffixBytes + " own bytes");
        }
        require(at, TableFormat.ENTRY_FIXED_BYTES + Long.BYTES);
        flags = block[at];
        from = block[at + 1] & 0xFF;
        hybrid = (long) TableFormat.ARRAY_LONG.get(block, at + 2);
        node = (int) TableFormat.ARRAY_INT.get(block, at + 10);
        at += TableFormat.ENTRY_FIXED_BYTES;
        step = 0;
        if ((flags & TableFormat.FLAG_STEP) != 0) {
            decodeStep(at);
            at += Long.BYTES;
        }
        expiresAtMillis = Entry.NEVER;
        typeBytes = 0;
        valueBytes = 0;
        switch (flags) {
            case 0 -> {
                valueBytes = varint(at);
                at = varintEnd;
            }
            case TableFormat.FLAG_TYPE, TableFormat.FLAG_EXPIRES | TableFormat.FLAG_TYPE -> {
                at = decodeType(at);
                valueBytes = varint(at);
                at = varintEnd;
            }
            case TableFormat.FLAG_EXPIRES -> {
                valueBytes = varint(decodeExpiry(at));
                at = varintEnd;
            }
            case TableFormat.FLAG_TOMBSTONE -> {}
            default -> throw corrupt(at, "flags " + flags);
        }
        suffixAt = at;
        valueAt = at + suffixBytes;
        if (suffixBytes > restartsAt - at
                || valueBytes > restartsAt - valueAt
                || valueBytes > Entry.MAX_VALUE_BYTES) {
            throw corrupt(at, "an entry reaches beyond its block");
        }
    }

    private void decodeStep(int at) {
        require(at, 2 * Long.BYTES); // and an expiry, if there is one
        flags ^= TableFormat.FLAG_STEP;
        step = (long) TableFormat.ARRAY_LONG.get(block, at);
        if (!Timestamp.isStep(hybrid, step)) {
            throw corrupt(at, "step %x of root %x".formatted(step, hybrid));
        }
    }

    private int decodeExpiry(int at) {
        expiresAtMillis = (long) TableFormat.ARRAY_LONG.get(block, at);
        if (expiresAtMillis <= 0) {
            throw corrupt(at, "expiry " + expiresAtMillis);
        }
        return at + Long.BYTES;
    }

    /** Locates the content type, after the expiry if there is one; returns its end. */
    private int decodeType(int start) {
        int at = (flags & TableFormat.FLAG_EXPIRES) != 0 ? decodeExpiry(start) : start;
        flags ^= TableFormat.FLAG_TYPE;
        require(at, Byte.BYTES);
        typeBytes = block[at] & 0xFF;
        typeAt = at + Byte.BYTES;
        require(typeAt, typeBytes);
        if (typeBytes == 0) {
            throw corrupt(at, "an empty content type");
        }
        return typeAt + typeBytes;
    }

    final @Nullable String contentType() {
        if (typeBytes == 0) {
            return null;
        }
        try {
            return ContentTypes.decode(Arrays.copyOfRange(block, typeAt, typeAt + typeBytes));
        } catch (MalformedException e) {
            throw corrupt(typeAt, String.valueOf(e.getMessage()));
        }
    }

    private int varint(int at) {
        require(at, 1);
        int first = block[at];
        if (first >= 0) {
            varintEnd = at + 1;
            return first;
        }
        return longVarint(at);
    }

    private int longVarint(int start) {
        int result = 0;
        int at = start;
        for (int shift = 0; shift <= 28; shift += 7) {
            require(at, 1);
            int sevenBits = block[at++];
            result |= (sevenBits & 0x7F) << shift;
            if (sevenBits >= 0) {
                if (result < 0) {
                    break;
                }
                varintEnd = at;
                return result;
            }
        }
        throw corrupt(start, "a number exceeds 31 bits");
    }

    private void require(int at, int bytes) {
        if (bytes > available - at) {
            throw corrupt(at, "the block ends within an entry");
        }
    }

    final TableFile file() {
        if (file == null) {
            throw new IllegalStateException("no block is loaded");
        }
        return file;
    }

    final CorruptionException corrupt(int at, String what) {
        return expanded
                ? file().corrupt(offset, what + ", " + at + " bytes into what it expands to")
                : file().corrupt(offset + at, what);
    }
}
