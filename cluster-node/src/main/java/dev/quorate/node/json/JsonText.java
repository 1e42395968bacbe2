package dev.quorate.node.json;

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
        long limit = base64Length(content.length);
        long length = 0;
        for (int i = 0; i < content.length; ) {
            byte b = content[i];
            int width = b >= 0 ? 1 : Utf8.width(content, i);
            if (width == 0) {
                return NOT_TEXT;
            }
            i += width;
            if (b >= FIRST_VISIBLE) {
                length += b == '"' || b == '\\' ? 2 : 1;
            } else if (b < 0) {
                length += width;
            } else {
                length += shortEscape(b) != 0 ? 2 : 6;
            }
        }
        return length <= limit ? length : NOT_TEXT;
    }

    /** Recognizes well-formed sequences (Unicode 15, table 3-7). */
    private static final class Utf8 {

        /** Bytes of the sequence of two to four bytes at {@code at}; 0 if it is malformed. */
        static int width(byte[] bytes, int at) {
            int first = bytes[at] & 0xFF;
            int width = first >= 0xC2 && first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
            if (first < 0xC2 || first > 0xF4 || at + width > bytes.length) {
                return 0;
            }
            for (int i = 1; i < width; i++) {
                if ((bytes[at + i] & 0xC0) != 0x80) {
                    return 0;
                }
            }
            int second = bytes[at + 1] & 0xFF;
            boolean isExcluded =
                    switch (first) {
                        case 0xE0 -> second < 0xA0; // longer than needed
                        case 0xED -> second > 0x9F; // half of a surrogate pair
                        case 0xF0 -> second < 0x90; // longer than needed
                        case 0xF4 -> second > 0x8F; // above U+10FFFF
                        default -> false;
                    };
            return isExcluded ? 0 : width;
        }
    }
}
