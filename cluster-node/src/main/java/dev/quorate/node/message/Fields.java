package dev.quorate.node.message;

import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;

/**
 * Fields of frames whose length is not fixed. Every length is held against what is left of the
 * frame before anything is allocated for it.
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

    static int sizeOf(byte[] bytes) {
        return Short.BYTES + bytes.length;
    }

    private static int length(ByteBuffer from) {
        require(from, Short.BYTES);
        int length = from.getShort() & 0xFFFF;
        require(from, length);
        return length;
    }

    /** One byte for each character, so that the length is known beforehand. */
    static byte[] encodeText(String text, int maxBytes) {
        byte[] encoded = new byte[Math.min(text.length(), maxBytes)];
        for (int i = 0; i < encoded.length; i++) {
            char c = text.charAt(i);
            encoded[i] = (byte) (c >= ' ' && c <= '~' ? c : '?');
        }
        return encoded;
    }

    /** Reads a text. What is not printable ASCII becomes a question mark: texts end up in logs. */
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
