package dev.quorate.storage.format;

import dev.quorate.storage.Entry;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the fields of an encoding, or only counts their bytes: one description of an encoding
 * serves for both, so that they cannot differ. Numbers are big-endian.
 */
public final class FieldWriter {

    /** Null if the bytes are only counted. */
    private final @Nullable ByteBuffer to;

    private int bytes;

    private FieldWriter(@Nullable ByteBuffer to) {
        this.to = to;
    }

    /** Writes at the position of a buffer, and advances it. */
    public static FieldWriter to(ByteBuffer buffer) {
        return new FieldWriter(buffer);
    }

    /** Counts bytes, and writes none. */
    public static FieldWriter counting() {
        return new FieldWriter(null);
    }

    /** The encoded size of {@code fields}, in bytes. */
    public static int sizeOf(Consumer<FieldWriter> fields) {
        FieldWriter counter = counting();
        fields.accept(counter);
        return counter.bytes;
    }

    /** The number of bytes so far. */
    public int count() {
        return bytes;
    }

    /** Encodes {@code fields} into an array of their exact length. */
    public static byte[] bytesOf(Consumer<FieldWriter> fields) {
        byte[] encoded = new byte[sizeOf(fields)];
        fields.accept(to(ByteBuffer.wrap(encoded)));
        return encoded;
    }

    public FieldWriter u8(int value) {
        bytes += Byte.BYTES;
        if (to != null) {
            to.put((byte) value);
        }
        return this;
    }

    /** One byte: 1 or 0. */
    public FieldWriter flag(boolean value) {
        return u8(value ? 1 : 0);
    }

    public FieldWriter u32(int value) {
        bytes += Integer.BYTES;
        if (to != null) {
            to.putInt(value);
        }
        return this;
    }

    public FieldWriter u64(long value) {
        bytes += Long.BYTES;
        if (to != null) {
            to.putLong(value);
        }
        return this;
    }

    public FieldWriter varint(int value) {
        bytes += Varint.sizeOf(value);
        if (to != null) {
            Varint.put(value, to);
        }
        return this;
    }

    /** A length of 16 bits, then the bytes. */
    public FieldWriter bytes(byte[] value) {
        bytes += Short.BYTES;
        if (to != null) {
            to.putShort((short) value.length);
        }
        return rest(value, 0);
    }

    /** The bytes from {@code start} to the end, without a length. */
    public FieldWriter rest(byte[] value, int start) {
        bytes += value.length - start;
        if (to != null) {
            to.put(value, start, value.length - start);
        }
        return this;
    }

    /** An entry, as in {@link EntryCodec}. */
    public FieldWriter entry(Entry entry) {
        bytes += EntryCodec.encodedSize(entry);
        if (to != null) {
            EntryCodec.encode(entry, to);
        }
        return this;
    }
}
