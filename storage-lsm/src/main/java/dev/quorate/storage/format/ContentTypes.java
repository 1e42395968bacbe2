package dev.quorate.storage.format;

import dev.quorate.storage.Entry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The content type of an entry in the log, in tables and between peers: its length u8, 1 to 255,
 * and as many bytes of printable ASCII.
 */
public final class ContentTypes {

    private ContentTypes() {}

    /** Bytes that {@link #put} writes. */
    public static int encodedSize(String type) {
        return Byte.BYTES + type.length();
    }

    /** Writes {@code type} at the position of {@code to}, and advances it. */
    public static void put(String type, ByteBuffer to) {
        to.put((byte) type.length()).put(type.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * The content type of these bytes, without the length.
     *
     * @throws MalformedException if they are not a content type
     */
    public static String decode(byte[] bytes) {
        String type = new String(bytes, StandardCharsets.ISO_8859_1);
        if (!Entry.isContentType(type)) {
            throw new MalformedException("a content type that is not printable ASCII, or empty");
        }
        return type;
    }
}
