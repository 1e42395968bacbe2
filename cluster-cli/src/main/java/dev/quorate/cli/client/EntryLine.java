package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quorate.storage.Entry;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A line of an export: an entry as {@code GET /v0/entities} sends it in {@code
 * application/x-ndjson}, or, behind the last of them, {@code {"entries":COUNT}}.
 *
 * @param key in base64; empty in the last line
 * @param value in base64; empty in the last line
 * @param version empty in the last line
 * @param expiresAtMillis in milliseconds since 1970; 0 for never
 * @param entries how many there are, in the last line; otherwise -1
 */
public record EntryLine(
        byte[] key,
        byte[] value,
        String version,
        long expiresAtMillis,
        @Nullable String contentType,
        long entries) {

    /** The longest line that is read: of the largest value, with all that it can have. */
    static final int MAX_BYTES = 64 << 20;

    /** The last line of an export with so many entries. */
    static String last(long entries) {
        return "{\"entries\":" + entries + "}\n";
    }

    /** The line of an entry that is no tombstone. */
    public static EntryLine of(Entry entry) {
        Base64.Encoder base64 = Base64.getEncoder();
        return new EntryLine(
                base64.encode(entry.key()),
                base64.encode(entry.value()),
                entry.timestamp().toString(),
                entry.expiresAtMillis(),
                entry.contentType(),
                -1);
    }

    /** The same entry with another version. */
    EntryLine with(String otherVersion) {
        return new EntryLine(key, value, otherVersion, expiresAtMillis, contentType, entries);
    }

    boolean isLast() {
        return entries >= 0;
    }

    /**
     * Reads a line.
     *
     * @throws IOException if it is none
     */
    static EntryLine parse(byte[] bytes, int from, int to) throws IOException {
        return new Parser(bytes, from, to).line();
    }

    /** Of a flat JSON object whose members are texts and whole numbers. */
    private static final class Parser {

        private static final int MAX_DIGITS = 18;

        private final byte[] bytes;
        private final int to;
        private int at;

        private byte @Nullable [] key;
        private byte @Nullable [] value;
        private @Nullable String version;
        private @Nullable String contentType;
        private long expiresAtMillis = -1;
        private long entries = -1;

        Parser(byte[] bytes, int from, int to) {
            this.bytes = bytes;
            this.at = from;
            this.to = to;
        }

        EntryLine line() throws IOException {
            expect('{');
            do {
                member();
            } while (isNext(','));
            expect('}');
            skipBlanks();
            boolean isEntry = key != null && value != null && version != null && entries < 0;
            boolean isLast = key == null && value == null && version == null && entries >= 0;
            if (at != to || !(isEntry || isLast)) {
                throw malformed();
            }
            return new EntryLine(
                    isLast || key == null ? new byte[0] : key,
                    isLast || value == null ? new byte[0] : value,
                    isLast || version == null ? "" : version,
                    Math.max(0, expiresAtMillis),
                    contentType,
                    entries);
        }

        private void member() throws IOException {
            String name = new String(text(), ISO_8859_1);
            expect(':');
            boolean isFirst =
                    switch (name) {
                        case "key" -> key == null;
                        case "value" -> value == null;
                        case "version" -> version == null;
                        case "contentType" -> contentType == null;
                        case "expires" -> expiresAtMillis < 0;
                        case "entries" -> entries < 0;
                        default -> false;
                    };
            if (!isFirst) {
                throw malformed();
            }
            switch (name) {
                case "key" -> key = base64();
                case "value" -> value = base64();
                case "version" -> version = new String(text(), ISO_8859_1);
                case "contentType" -> contentType = unescaped(text());
                case "expires" -> expiresAtMillis = number();
                default -> entries = number();
            }
        }

        /** The bytes between two quotation marks, as they are. */
        private byte[] text() throws IOException {
            expect('"');
            int start = at;
            while (at < to && bytes[at] != '"') {
                at += bytes[at] == '\\' ? 2 : 1;
            }
            int end = at;
            if (end >= to) {
                throw malformed();
            }
            at++;
            return Arrays.copyOfRange(bytes, start, end);
        }

        private byte[] base64() throws IOException {
            byte[] text = text();
            for (byte b : text) {
                boolean isDigit =
                        (b >= 'A' && b <= 'Z')
                                || (b >= 'a' && b <= 'z')
                                || (b >= '/' && b <= '9')
                                || b == '+'
                                || b == '=';
                if (!isDigit) {
                    throw malformed();
                }
            }
            return text;
        }

        private String unescaped(byte[] text) throws IOException {
            StringBuilder plain = new StringBuilder();
            for (int i = 0; i < text.length; i++) {
                boolean isEscaped = text[i] == '\\';
                byte b = text[isEscaped ? ++i : i];
                boolean isKnown = !isEscaped || b == '"' || b == '\\' || b == '/';
                if (!isKnown || b < ' ' || b > '~') {
                    throw malformed();
                }
                plain.append((char) b);
            }
            return plain.toString();
        }

        private long number() throws IOException {
            skipBlanks();
            int start = at;
            long number = 0;
            while (at < to && bytes[at] >= '0' && bytes[at] <= '9') {
                number = 10 * number + bytes[at++] - '0';
            }
            if (at == start || at - start > MAX_DIGITS) {
                throw malformed();
            }
            return number;
        }

        private boolean isNext(char wanted) {
            skipBlanks();
            boolean isNext = at < to && bytes[at] == wanted;
            at += isNext ? 1 : 0;
            return isNext;
        }

        private void expect(char wanted) throws IOException {
            if (!isNext(wanted)) {
                throw malformed();
            }
        }

        private void skipBlanks() {
            while (at < to && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r')) {
                at++;
            }
        }

        private static IOException malformed() {
            return new IOException("it is no line of an export");
        }
    }
}
