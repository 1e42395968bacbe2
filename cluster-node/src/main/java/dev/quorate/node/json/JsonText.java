package dev.quorate.node.json;

import com.google.common.base.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Writes keys and values, which are bytes, as members of JSON objects: {@code "name":"text"} where
 * they are valid UTF-8 whose escaped form is no longer than base64, and {@code
 * "nameBase64":"base64"} (RFC 4648, 4) otherwise. So the member takes at most four thirds of the
 * bytes, whatever they are.
 */
public final class JsonText {

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int FIRST_VISIBLE = 0x20;
    private static final int NOT_TEXT = -1;

    private JsonText() {}

    /** The names of one member in both forms. */
    public static final class Name {

        private final byte[] text;
        private final byte[] base64;

        /** Creates the names of a member. */
        public Name(String name) {
            text = ("\"" + name + "\":\"").getBytes(StandardCharsets.US_ASCII);
            base64 = ("\"" + name + "Base64\":\"").getBytes(StandardCharsets.US_ASCII);
        }

        /** The beginning of the member, up to and including the quotation mark of its value. */
        public byte[] before(byte @Nullable [] escaped) {
            return escaped == null ? base64 : text;
        }

        /** Bytes of the whole member without the last quotation mark. */
        public long bytes(byte[] content) {
            long escaped = escapedLength(content);
            return escaped == NOT_TEXT
                    ? base64.length + base64Length(content.length)
                    : text.length + escaped;
        }
    }

    /** The member {@code ,"contentType":"…"}; empty for no type. */
    public static String contentType(@Nullable String type) {
        return type == null
                ? ""
                : ",\"contentType\":\"" + type.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    /** The value of a member: {@code escaped}, or {@code content} in base64 where that is null. */
    public static byte[] value(byte @Nullable [] escaped, byte[] content) {
        return escaped == null ? Base64.getEncoder().encode(content) : escaped;
    }

    public static long base64Length(int bytes) {
        return (bytes + 2L) / 3 * 4;
    }

    /** The escaped text; null if it is to be base64. May be {@code content} itself. */
    public static byte @Nullable [] escaped(byte[] content) {
        long length = escapedLength(content);
        if (length == NOT_TEXT) {
            return null;
        }
        if (length == content.length) {
            return content;
        }
        byte[] out = new byte[(int) length];
        int at = 0;
        for (byte b : content) {
            at = put(b, out, at);
        }
        return out;
    }

    private static int put(byte b, byte[] out, int from) {
        int at = from;
        byte letter = shortEscape(b);
        if (letter != 0) {
            out[at++] = '\\';
            out[at++] = letter;
        } else if (b >= 0 && b < FIRST_VISIBLE) {
            out[at++] = '\\';
            out[at++] = 'u';
            out[at++] = '0';
            out[at++] = '0';
            out[at++] = HEX[b >> 4];
            out[at++] = HEX[b & 15];
        } else {
            out[at++] = b;
        }
        return at;
    }

    private static byte shortEscape(byte b) {
        return switch (b) {
            case '"', '\\' -> b;
            case '\n' -> 'n';
            case '\r' -> 'r';
            case '\t' -> 't';
            default -> 0;
        };
    }

    private static long escapedLength(byte[] content) {
        if (!Utf8.isWellFormed(content)) {
            return NOT_TEXT;
        }
        long length = content.length;
        for (byte b : content) {
            if (b < FIRST_VISIBLE ? b >= 0 : b == '"' || b == '\\') {
                length += shortEscape(b) != 0 ? 1 : 5;
            }
        }
        return length <= base64Length(content.length) ? length : NOT_TEXT;
    }
}
