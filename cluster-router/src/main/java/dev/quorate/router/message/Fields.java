package dev.quorate.router.message;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import dev.quorate.storage.format.Varint;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.ToIntFunction;

/**
 * Fields of frames with variable lengths. Every length is checked against the rest of the frame
 * before memory is allocated.
 */
final class Fields {

    /** Bytes of a timestamp without a step. */
    static final int MIN_TIMESTAMP_BYTES = Timestamp.ENCODED_BYTES + Byte.BYTES;

    private Fields() {}

    static void require(ByteBuffer from, int bytes) {
        if (from.remaining() < bytes) {
            throw new MalformedException(
                    "cut off: " + bytes + " bytes expected, " + from.remaining() + " left");
        }
    }

    static byte u8(ByteBuffer from) {
        require(from, Byte.BYTES);
        return from.get();
    }

    static int u32(ByteBuffer from) {
        require(from, Integer.BYTES);
        return from.getInt();
    }

    static long u64(ByteBuffer from) {
        require(from, Long.BYTES);
        return from.getLong();
    }

    /**
     * Reads a byte that is 1 or 0.
     *
     * @param name the name of the flag, for the error
     */
    static boolean flag(String name, ByteBuffer from) {
        byte flag = u8(from);
        if (flag != 0 && flag != 1) {
            throw new MalformedException(name + " flag " + flag);
        }
        return flag == 1;
    }

    /**
     * Reads a code of one byte.
     *
     * @param name the name of the field, for the error
     */
    static <E> E byCode(E[] all, ToIntFunction<E> codeOf, String name, ByteBuffer from) {
        byte code = u8(from);
        for (E each : all) {
            if (codeOf.applyAsInt(each) == code) {
                return each;
            }
        }
        throw new MalformedException(name + " " + code);
    }

    /**
     * Reads the length of a list.
     *
     * @param most the maximum length
     */
    static int count(int most, ByteBuffer from) {
        int count = u8(from) & 0xFF;
        if (count > most) {
            throw new MalformedException("a list of " + count);
        }
        return count;
    }

    /** Reads a moment, in milliseconds since 1970. */
    static long millis(ByteBuffer from) {
        long millis = u64(from);
        if (millis < 0) {
            throw new MalformedException("a moment before 1970");
        }
        return millis;
    }

    /** Reads a length of 16 bits and that many bytes. */
    static byte[] bytes(ByteBuffer from) {
        byte[] bytes = new byte[length(from)];
        from.get(bytes);
        return bytes;
    }

    /** Writes a key without the prefix that it shares with the previous key. */
    static void putKey(byte[] before, byte[] key, FieldWriter to) {
        int mismatch = Arrays.mismatch(before, key);
        int shared = mismatch < 0 ? key.length : mismatch;
        to.varint(shared).varint(key.length - shared).rest(key, shared);
    }

    /**
     * Reads a key that may share a prefix with the previous key.
     *
     * @param maxBytes the maximum length of the whole key
     */
    static byte[] key(byte[] before, int maxBytes, ByteBuffer from) {
        int shared = Varint.get(from);
        int rest = Varint.get(from);
        if (shared > before.length) {
            throw new MalformedException("a key shares more than there is");
        }
        require(from, rest);
        if (shared + rest > Math.min(maxBytes, Entry.MAX_KEY_BYTES)) {
            throw new MalformedException("keys are too long");
        }
        byte[] key = Arrays.copyOf(before, shared + rest);
        from.get(key, shared, rest);
        return key;
    }

    private static int length(ByteBuffer from) {
        require(from, Short.BYTES);
        int length = from.getShort() & 0xFFFF;
        require(from, length);
        return length;
    }

    /** Encodes a text. Characters that are not printable ASCII become question marks. */
    static byte[] encodeText(String text, int maxBytes) {
        byte[] encoded = new byte[Math.min(text.length(), maxBytes)];
        for (int i = 0; i < encoded.length; i++) {
            char c = text.charAt(i);
            encoded[i] = (byte) (c >= ' ' && c <= '~' ? c : '?');
        }
        return encoded;
    }

    /**
     * Reads a text. Bytes that are not printable ASCII become question marks, because texts are
     * logged.
     */
    static String text(ByteBuffer from) {
        int length = length(from);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            byte b = from.get();
            text.append(b >= ' ' && b <= '~' ? (char) b : '?');
        }
        return text.toString();
    }

    /** Writes a timestamp outside of an entry, in the layout of {@link PeerCodec}. */
    static void timestamp(Timestamp timestamp, FieldWriter to) {
        to.u64(timestamp.hybrid()).u32(timestamp.node()).flag(timestamp.hasStep());
        if (timestamp.hasStep()) {
            to.u64(timestamp.step());
        }
    }

    static Timestamp timestamp(ByteBuffer from) {
        require(from, MIN_TIMESTAMP_BYTES);
        Timestamp root = new Timestamp(from.getLong(), from.getInt());
        if (!flag("step", from)) {
            return root;
        }
        long step = u64(from);
        if (!Timestamp.isStep(root.hybrid(), step)) {
            throw new MalformedException("step %x of %s".formatted(step, root));
        }
        return root.withStep(step);
    }
}
