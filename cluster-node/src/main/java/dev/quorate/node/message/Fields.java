package dev.quorate.node.message;

import dev.quorate.storage.Entry;
import dev.quorate.storage.format.MalformedException;
import dev.quorate.storage.format.Varint;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Fields of frames with variable lengths. Every length is checked against the rest of the frame
 * before memory is allocated.
 */
final class Fields {

    private Fields() {}

    static void require(ByteBuffer from, int bytes) {
        if (from.remaining() < bytes) {
            throw new MalformedException(
                    "cut off: " + bytes + " bytes expected, " + from.remaining() + " left");
        }
    }

    /** Reads a length of 16 bits and that many bytes. */
    static byte[] bytes(ByteBuffer from) {
        byte[] bytes = new byte[length(from)];
        from.get(bytes);
        return bytes;
    }

    static void putBytes(byte[] bytes, ByteBuffer to) {
        to.putShort((short) bytes.length).put(bytes);
    }

    /** Bytes that {@link #putKey} writes. */
    static int sizeOfKey(byte[] before, byte[] key) {
        int shared = shared(before, key);
        int rest = key.length - shared;
        return Varint.sizeOf(shared) + Varint.sizeOf(rest) + rest;
    }

    /** Writes a key without the prefix that it shares with the one before. */
    static void putKey(byte[] before, byte[] key, ByteBuffer to) {
        int shared = shared(before, key);
        Varint.put(shared, to);
        Varint.put(key.length - shared, to);
        to.put(key, shared, key.length - shared);
    }

    private static int shared(byte[] before, byte[] key) {
        int mismatch = Arrays.mismatch(before, key);
        return mismatch < 0 ? key.length : mismatch;
    }

    /**
     * Reads a key that may share a prefix with the one before.
     *
     * @param maxBytes the most bytes of the whole key
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

    static int sizeOf(byte[] bytes) {
        return Short.BYTES + bytes.length;
    }

    private static int length(ByteBuffer from) {
        require(from, Short.BYTES);
        int length = from.getShort() & 0xFFFF;
        require(from, length);
        return length;
    }

    /** One byte for each character, so that the length is known in advance. */
    static byte[] encodeText(String text, int maxBytes) {
        byte[] encoded = new byte[Math.min(text.length(), maxBytes)];
        for (int i = 0; i < encoded.length; i++) {
            char c = text.charAt(i);
            encoded[i] = (byte) (c >= ' ' && c <= '~' ? c : '?');
        }
        return encoded;
    }

    /**
     * Reads a text. Other characters than printable ASCII become question marks, because texts are
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
}
