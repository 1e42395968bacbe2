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
 *   timestamp   that of the write, so that the newest of several hints for a key wins
 *   from        that of the write
 *   expiry      that of the hint: the write's timestamp and the window
 *   value    0  format   u8   1
 *            1  the write, whole: see {@link EntryCodec}
 * </pre>
 *
 * <p>A name contains no zero byte, so all hints of a target are one range. A tombstone marks a hint
 * as sent.
 */
final class HintCodec {

    private static final byte FORMAT = 1;
    private static final byte SEPARATOR = 0;

    private HintCodec() {}

    /** Approximate bytes of a hint on disk. */
    static long sizeOf(String target, Entry write) {
        long keyBytes = target.length() + 1L + write.key().length;
        return keyBytes + 1 + EntryCodec.encodedSize(write);
    }

    /** Approximate bytes of a hint on disk. */
    static long sizeOf(Entry hint) {
        return (long) hint.key().length + hint.valueBytes();
    }

    /** Whether the key of such a hint is short enough for the store. */
    static boolean fits(String target, Entry write) {
        return target.length() + 1 + write.key().length <= Entry.MAX_KEY_BYTES;
    }

    /**
     * The hint of a write.
     *
     * @param target the name of the replica that missed it
     * @param expiresAtMillis when the hint expires, in milliseconds since 1970
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
     * The write in a hint.
     *
     * @throws MalformedException if it is not a hint, or has another format
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

    /** The tombstone that marks a hint as sent. It does not affect a newer hint. */
    static Entry removal(Entry hint) {
        return Entry.tombstone(hint.key(), hint.timestamp(), hint.from());
    }

    /**
     * The name of the replica that a hint is for.
     *
     * @throws MalformedException if the key is not a hint's
     */
    static String target(byte[] hintKey) {
        for (int i = 0; i < hintKey.length; i++) {
            if (hintKey[i] == SEPARATOR) {
                return new String(hintKey, 0, i, US_ASCII);
            }
        }
        throw new MalformedException("hint without a target");
    }

    /** The first key of a target's hints. */
    static byte[] start(String target) {
        return key(target, new byte[0]);
    }

    /** The end of a target's hints, exclusive. */
    static byte[] end(String target) {
        byte[] end = start(target);
        end[end.length - 1] = SEPARATOR + 1;
        return end;
    }

    static byte[] key(String target, byte[] key) {
        byte[] name = target.getBytes(US_ASCII);
        byte[] joined = Arrays.copyOf(name, name.length + 1 + key.length);
        joined[name.length] = SEPARATOR;
        System.arraycopy(key, 0, joined, name.length + 1, key.length);
        return joined;
    }
}
