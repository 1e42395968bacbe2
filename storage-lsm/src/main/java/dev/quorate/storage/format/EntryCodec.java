package dev.quorate.storage.format;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.ByteBuffer;

/**
 * The encoding of an entry in the log and between peers. Tables have a layout of their own.
 *
 * <pre>
 *   0  format       u8       1
 *   1  flags        u8       bit 0 tombstone, bit 1 has an expiry, bit 2 has a step,
 *                          bit 3 has a content type; the rest 0
 *   2  from         u8       replicas the writer addressed; 0 if unknown
 *   3  hybrid       u64      the timestamp's clock reading
 *  11  node         u32      the timestamp's node
 *  15  step         u64      the timestamp's step, after hybrid; only with bit 2
 *      key length   varint   1 to 65,535
 *      key
 *      expiry       u64      milliseconds since 1970, not 0; only with bit 1
 *      type length  u8       of the content type, not 0; only with bit 3
 *      content type          printable ASCII; only with bit 3
 *      value length varint   only without bit 0
 *      value                 only without bit 0
 * </pre>
 *
 * <p>It determines its own length and contains no checksum: its containers have their own. Buffers
 * must be big-endian, the default.
 */
public final class EntryCodec {

    private static final byte FORMAT = 1;
    private static final int TOMBSTONE = 1;
    private static final int EXPIRES = 2;
    private static final int STEP = 4;
    private static final int TYPE = 8;
    private static final int FIXED_BYTES = 3 + Timestamp.ENCODED_BYTES;

    private EntryCodec() {}

    /** Bytes that {@link #encode} writes. */
    public static int encodedSize(Entry entry) {
        int keyBytes = entry.key().length;
        int size = FIXED_BYTES + Varint.sizeOf(keyBytes) + keyBytes;
        if (entry.timestamp().hasStep()) {
            size += Long.BYTES;
        }
        if (entry.expiresAtMillis() != Entry.NEVER) {
            size += Long.BYTES;
        }
        if (entry.contentType() != null) {
            size += ContentTypes.encodedSize(entry.contentType());
        }
        if (!entry.isTombstone()) {
            size += Varint.sizeOf(entry.valueBytes()) + entry.valueBytes();
        }
        return size;
    }

    /** Writes {@code entry} at the position of {@code to}, and advances it. */
    public static void encode(Entry entry, ByteBuffer to) {
        encodeHead(entry, to);
        if (!entry.isTombstone()) {
            to.put(entry.value());
        }
    }

    /** Like {@link #encode}, but without the bytes of the value, which are last. */
    public static void encodeHead(Entry entry, ByteBuffer to) {
        boolean expires = entry.expiresAtMillis() != Entry.NEVER;
        Timestamp timestamp = entry.timestamp();
        int flags =
                (entry.isTombstone() ? TOMBSTONE : 0)
                        | (expires ? EXPIRES : 0)
                        | (timestamp.hasStep() ? STEP : 0)
                        | (entry.contentType() != null ? TYPE : 0);
        to.put(FORMAT).put((byte) flags).put((byte) entry.from());
        to.putLong(timestamp.hybrid()).putInt(timestamp.node());
        if (timestamp.hasStep()) {
            to.putLong(timestamp.step());
        }
        Varint.put(entry.key().length, to);
        to.put(entry.key());
        if (expires) {
            to.putLong(entry.expiresAtMillis());
        }
        if (entry.contentType() != null) {
            ContentTypes.put(entry.contentType(), to);
        }
        if (!entry.isTombstone()) {
            Varint.put(entry.valueBytes(), to);
        }
    }

    /**
     * Reads an entry at the position of {@code from}, and advances it. Allocates no more than the
     * remaining bytes, regardless of the encoded lengths.
     *
     * @throws MalformedException if the bytes are not a valid entry
     */
    public static Entry decode(ByteBuffer from) {
        require(from, FIXED_BYTES);
        byte format = from.get();
        if (format != FORMAT) {
            throw new MalformedException("entry format " + format + ", expected " + FORMAT);
        }
        int flags = from.get();
        boolean tombstone = (flags & TOMBSTONE) != 0;
        boolean expires = (flags & EXPIRES) != 0;
        boolean hasType = (flags & TYPE) != 0;
        if ((flags & ~(TOMBSTONE | EXPIRES | STEP | TYPE)) != 0
                || (tombstone && (expires || hasType))) {
            throw new MalformedException("entry flags " + flags);
        }
        int addressed = from.get() & 0xFF;
        Timestamp timestamp = new Timestamp(from.getLong(), from.getInt());
        if ((flags & STEP) != 0) {
            timestamp = timestamp.withStep(step(timestamp, from));
        }
        int keyBytes = Varint.get(from);
        if (keyBytes == 0 || keyBytes > Entry.MAX_KEY_BYTES) {
            throw new MalformedException("key of " + keyBytes + " bytes");
        }
        byte[] key = bytes(from, keyBytes);
        if (tombstone) {
            return Entry.tombstone(key, timestamp, addressed);
        }
        long expiresAtMillis = expires ? expiry(from) : Entry.NEVER;
        String contentType = hasType ? contentType(from) : null;
        int valueBytes = Varint.get(from);
        if (valueBytes > Entry.MAX_VALUE_BYTES) {
            throw new MalformedException("value of " + valueBytes + " bytes");
        }
        byte[] value = bytes(from, valueBytes);
        return Entry.expiring(key, timestamp, value, addressed, expiresAtMillis)
                .withContentType(contentType);
    }

    private static String contentType(ByteBuffer from) {
        require(from, Byte.BYTES);
        return ContentTypes.decode(bytes(from, from.get() & 0xFF));
    }

    private static long step(Timestamp root, ByteBuffer from) {
        require(from, Long.BYTES);
        long step = from.getLong();
        if (!Timestamp.isStep(root.hybrid(), step)) {
            throw new MalformedException("step %x of %s".formatted(step, root));
        }
        return step;
    }

    private static long expiry(ByteBuffer from) {
        require(from, Long.BYTES);
        long expiresAtMillis = from.getLong();
        if (expiresAtMillis <= 0) {
            throw new MalformedException("expiry " + expiresAtMillis);
        }
        return expiresAtMillis;
    }

    private static byte[] bytes(ByteBuffer from, int length) {
        require(from, length);
        byte[] bytes = new byte[length];
        from.get(bytes);
        return bytes;
    }

    private static void require(ByteBuffer from, int length) {
        if (from.remaining() < length) {
            throw new MalformedException(
                    "entry cut off: " + length + " bytes expected, " + from.remaining() + " left");
        }
    }
}
