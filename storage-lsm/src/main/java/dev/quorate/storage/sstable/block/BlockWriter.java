package dev.quorate.storage.sstable.block;

import dev.quorate.storage.Compression;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.format.ContentTypes;
import dev.quorate.storage.format.Varint;
import dev.quorate.storage.sstable.file.Lz4;
import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.file.TableOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Encodes data blocks, one at a time. */
public final class BlockWriter {

    /** A block is stored compressed only if that saves at least this fraction of its size: 1/8. */
    private static final int MIN_GAIN = 8;

    /** Maximum size of an entry without key, value and optional fields. */
    private static final int OVERHEAD_BYTES =
            3 * Varint.MAX_INT_BYTES + TableFormat.ENTRY_FIXED_BYTES;

    private static final byte[] NO_KEY = {};

    private final int blockBytes;
    private final Compression compression;
    private ByteBuffer entries;
    private int[] restarts = new int[8];
    private int restartCount;
    private int sinceRestart;
    private byte[] lastKey = NO_KEY;

    /** A long value has a block of its own and is not copied into the buffer. */
    private @Nullable UnreadValue largeValue;

    private byte[] compressed = {};

    /**
     * @param blockBytes maximum size of a block with more than one entry
     */
    public BlockWriter(int blockBytes, Compression compression) {
        this.blockBytes = blockBytes;
        this.compression = compression;
        this.entries = ByteBuffer.allocate(blockBytes + 256);
    }

    public boolean isEmpty() {
        return restartCount == 0;
    }

    /** Whether no further entry fits, because the block has a long value. */
    public boolean isFull() {
        return largeValue != null;
    }

    /** The current size of the block, in bytes. */
    public int bytes() {
        int large = largeValue == null ? 0 : largeValue.bytes();
        return entries.position()
                + large
                + (restartCount + 1) * Integer.BYTES
                + TableFormat.TRAILER_BYTES;
    }

    /** Whether {@code entry} fits into this block. */
    public boolean hasRoomFor(Entry entry) {
        if (isEmpty()) {
            return true;
        }
        long most = (long) bytes() + Integer.BYTES + entry.key().length + entry.valueBytes();
        return largeValue == null && most + overhead(entry) <= blockBytes;
    }

    private static int overhead(Entry entry) {
        return overhead(entry.timestamp(), entry.expiresAtMillis(), entry.contentType());
    }

    private static int overhead(
            Timestamp timestamp, long expiresAtMillis, @Nullable String contentType) {
        return OVERHEAD_BYTES
                + (timestamp.hasStep() ? Long.BYTES : 0)
                + (expiresAtMillis == Entry.NEVER ? 0 : Long.BYTES)
                + (contentType == null ? 0 : ContentTypes.encodedSize(contentType));
    }

    /** Appends an entry whose key is after all others. */
    public void add(Entry entry) {
        byte[] key = entry.key();
        boolean isLarge = isEmpty() && entry.valueBytes() >= UnreadValue.MIN_BYTES;
        int shared = begin(key, overhead(entry) + (isLarge ? 0 : entry.valueBytes()));
        int flags = entry.isTombstone() ? TableFormat.FLAG_TOMBSTONE : 0;
        putFields(
                flags,
                entry.from(),
                entry.timestamp(),
                entry.expiresAtMillis(),
                entry.contentType());
        if (!entry.isTombstone()) {
            Varint.put(entry.valueBytes(), entries);
        }
        entries.put(key, shared, key.length - shared);
        if (isLarge) {
            largeValue = UnreadValue.of(entry);
        } else if (!entry.isTombstone()) {
            entries.put(entry.value());
        }
    }

    /** Sets the only entry of a block. */
    public void set(byte[] key, Timestamp timestamp, UnreadValue value) {
        if (!isEmpty()) {
            throw new IllegalStateException("a long value has a block of its own");
        }
        begin(key, overhead(timestamp, value.expiresAtMillis(), value.contentType()));
        putFields(0, value.from(), timestamp, value.expiresAtMillis(), value.contentType());
        Varint.put(value.bytes(), entries);
        entries.put(key);
        largeValue = value;
    }

    /**
     * Begins an entry; returns the number of leading bytes shared with the previous key.
     *
     * @param bytes the maximum size of the entry without its key
     */
    private int begin(byte[] key, int bytes) {
        int shared = 0;
        if (isEmpty() || sinceRestart == TableFormat.RESTART_INTERVAL) {
            addRestart(entries.position());
            sinceRestart = 0;
        } else {
            shared = Arrays.mismatch(lastKey, key);
        }
        sinceRestart++;
        lastKey = key;
        ensureRoom(bytes + key.length - shared);
        Varint.put(shared, entries);
        Varint.put(key.length - shared, entries);
        return shared;
    }

    private void putFields(
            int flags,
            int from,
            Timestamp timestamp,
            long expiresAtMillis,
            @Nullable String contentType) {
        boolean expires = expiresAtMillis != Entry.NEVER;
        boolean hasStep = timestamp.hasStep();
        int more =
                (expires ? TableFormat.FLAG_EXPIRES : 0)
                        | (hasStep ? TableFormat.FLAG_STEP : 0)
                        | (contentType != null ? TableFormat.FLAG_TYPE : 0);
        entries.put((byte) (flags | more));
        entries.put((byte) from);
        entries.putLong(timestamp.hybrid()).putInt(timestamp.node());
        if (hasStep) {
            entries.putLong(timestamp.step());
        }
        if (expires) {
            entries.putLong(expiresAtMillis);
        }
        if (contentType != null) {
            ContentTypes.put(contentType, entries);
        }
    }

    private void addRestart(int position) {
        if (restartCount == restarts.length) {
            restarts = Arrays.copyOf(restarts, restartCount * 2);
        }
        restarts[restartCount++] = position;
    }

    private void ensureRoom(int bytes) {
        if (entries.remaining() < bytes) {
            int position = entries.position();
            int capacity = Math.max(position + bytes, entries.capacity() * 2);
            entries = ByteBuffer.wrap(Arrays.copyOf(entries.array(), capacity)).position(position);
        }
    }

    /** Writes the block with its trailer and starts an empty one; returns the size of the block. */
    public int writeTo(TableOutput out) throws IOException {
        byte kind = largeValue == null ? writeShared(out) : writeLarge(out, largeValue);
        entries.clear();
        restartCount = 0;
        largeValue = null;
        lastKey = NO_KEY;
        return out.sealBlock(kind);
    }

    /**
     * Large values are never compressed: a reader copies one from the file directly into the array
     * of the entry, whereas decompression would need a second array of its size.
     */
    private byte writeLarge(TableOutput out, UnreadValue value) throws IOException {
        out.write(entries.array(), 0, entries.position());
        byte[] piece = new byte[UnreadValue.PIECE_BYTES];
        for (int at = 0; at < value.bytes(); at += piece.length) {
            int count = Math.min(piece.length, value.bytes() - at);
            value.copy(at, piece, count);
            out.write(piece, 0, count);
        }
        entries.clear();
        putRestarts();
        out.write(entries.array(), 0, entries.position());
        return TableFormat.KIND_DATA;
    }

    private byte writeShared(TableOutput out) throws IOException {
        putRestarts();
        int rawBytes = entries.position();
        int stored = compression == Compression.LZ4 ? compress(rawBytes) : rawBytes;
        if (stored > rawBytes - rawBytes / MIN_GAIN) {
            out.write(entries.array(), 0, rawBytes);
            return TableFormat.KIND_DATA;
        }
        out.write(ByteBuffer.allocate(Integer.BYTES).putInt(rawBytes).array());
        out.write(compressed, 0, stored - Integer.BYTES);
        return TableFormat.KIND_DATA_LZ4;
    }

    /** Compresses the block; returns its stored size, including the length field. */
    private int compress(int rawBytes) {
        if (rawBytes > TableFormat.MAX_SHARED_BLOCK_BYTES) {
            return rawBytes;
        }
        int most = Lz4.maxCompressedBytes(rawBytes);
        if (compressed.length < most) {
            compressed = new byte[most];
        }
        return Integer.BYTES + Lz4.compress(entries.array(), rawBytes, compressed);
    }

    private void putRestarts() {
        ensureRoom((restartCount + 1) * Integer.BYTES);
        for (int i = 0; i < restartCount; i++) {
            entries.putInt(restarts[i]);
        }
        entries.putInt(restartCount);
    }
}
