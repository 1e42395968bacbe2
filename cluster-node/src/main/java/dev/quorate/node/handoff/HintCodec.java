package dev.quorate.node.handoff;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.storage.Entry;
import dev.quorate.storage.format.EntryCodec;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A hint as an entry of the store of hints.
 *
 * <pre>
 *   key         the target's name in ASCII, a zero byte, the key of the write
 *   timestamp   that of the write, so that of several hints for a key the newest stays
 *   from        that of the write
 *   expiry      that of the hint: the write's timestamp and the window
 *   value    0  format   u8   1
 *            1  the write, whole: see {@link EntryCodec}
 * </pre>
 *
 * <p>A name holds no zero byte, so all hints of a target are one range. A tombstone says that the
 * hint was sent.
 */
final class HintCodec {

    private static final byte FORMAT = 1;
    private static final byte SEPARATOR = 0;

    private HintCodec() {}

    /** About what a hint takes on disk, in bytes. */
    static long sizeOf(String target, Entry write) {
        long keyBytes = target.length() + 1L + write.key().length;
        return keyBytes + 1 + EntryCodec.encodedSize(write);
    }

    /** As {@link #sizeOf(String, Entry)}, of a hint. */
    static long sizeOf(Entry hint) {
        return (long) hint.key().length + hint.valueBytes();
    }

    /** Whether the key of such a hint is one that the store can hold. */
    static boolean fits(String target, Entry write) {
        return target.length() + 1 + write.key().length <= Entry.MAX_KEY_BYTES;
    }

    /**
     * The hint of a write.
     *
     * @param target the name of the replica that missed it
     * @param expiresAtMillis when it is not worth sending any more
     */
    static Entry encode(String target, Entry write, long expiresAtMillis) {
        ByteBuffer value = ByteBuffer.allocate(1 + EntryCodec.encodedSize(write));
        value.put(FORMAT);
        EntryCodec.encode(write, value);
        return Entry.expiring(
                key(target, write.key()),
                write.timestamp(),
                value.array(),
                write.from(),
                expiresAtMillis);
    }

    /**
     * The write that a hint is of.
     *
     * @throws MalformedException if it is none, or of another format
     */
    static Entry decode(Entry hint) {
        ByteBuffer value = ByteBuffer.wrap(hint.value());
        if (!value.hasRemaining()) {
            throw new MalformedException("hint without a format");
        }
        byte format = value.get();
        if (format != FORMAT) {
            throw new MalformedException("hint format " + format + ", expected " + FORMAT);
        }
        Entry write = EntryCodec.decode(value);
        if (value.hasRemaining()) {
            throw new MalformedException("hint with " + value.remaining() + " bytes too many");
        }
        if (!Arrays.equals(hint.key(), key(target(hint.key()), write.key()))
                || !hint.timestamp().equals(write.timestamp())) {
            throw new MalformedException("hint of another write than it says");
        }
        return write;
    }

    /** What says that a hint was sent. One that is newer outlives it. */
    static Entry removal(Entry hint) {
        return Entry.tombstone(hint.key(), hint.timestamp(), hint.from());
    }

    /**
     * The name of the replica that a hint is for.
     *
     * @throws MalformedException if the key is not that of a hint
     */
    static String target(byte[] hintKey) {
        for (int i = 0; i < hintKey.length; i++) {
            if (hintKey[i] == SEPARATOR) {
                return new String(hintKey, 0, i, US_ASCII);
            }
        }
        throw new MalformedException("hint without a target");
    }

    /** Where the hints of a target begin. */
    static byte[] start(String target) {
        return key(target, new byte[0]);
    }

    /** Where they have ended. */
    static byte[] end(String target) {
        byte[] end = start(target);
        end[end.length - 1] = SEPARATOR + 1;
        return end;
    }

    /** The key right behind another. */
    static byte[] after(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /** The key of a hint. */
    static byte[] key(String target, byte[] key) {
        byte[] name = target.getBytes(US_ASCII);
        byte[] joined = Arrays.copyOf(name, name.length + 1 + key.length);
        joined[name.length] = SEPARATOR;
        System.arraycopy(key, 0, joined, name.length + 1, key.length);
        return joined;
    }
}
