package dev.quorate.node.api;

import dev.quorate.node.api.request.Accept;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.json.JsonText;
import dev.quorate.storage.Entry;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The format of a range's entries. */
enum EntityFormat {
    /** Each entry a chunk of its own: its key, a line feed, its value. */
    CHUNKS("application/octet-stream") {
        @Override
        void write(Entry entry, boolean isFirst, boolean keysOnly, StreamSink sink) {
            sink.chunk(entry.key(), LINE_FEED, keysOnly ? NOTHING : entry.value());
        }

        @Override
        long bytes(Entry entry, boolean keysOnly) {
            int value = keysOnly ? 0 : entry.valueBytes();
            return chunk((long) entry.key().length + LINE_FEED.length + value);
        }
    },

    /** Each entry a line with a JSON object; key and value in base64 (RFC 4648, 4). */
    JSON_LINES("application/x-ndjson") {
        @Override
        void write(Entry entry, boolean isFirst, boolean keysOnly, StreamSink sink) {
            Base64.Encoder base64 = Base64.getEncoder();
            sink.chunk(
                    KEY,
                    base64.encode(entry.key()),
                    keysOnly ? NOTHING : VALUE,
                    keysOnly ? NOTHING : base64.encode(entry.value()),
                    beforeVersion(entry),
                    version(entry),
                    LINE_END);
        }

        @Override
        long bytes(Entry entry, boolean keysOnly) {
            int around = KEY.length + beforeVersion(entry).length + LINE_END.length;
            long value = keysOnly ? 0 : VALUE.length + JsonText.base64Length(entry.valueBytes());
            long key = JsonText.base64Length(entry.key().length);
            return chunk(around + key + value + entry.timestamp().textLength());
        }

        @Override
        void end(boolean isEmpty, @Nullable String cursor, StreamSink sink) {
            if (cursor != null) {
                sink.chunk(CURSOR, ascii(cursor), LINE_END);
            }
        }
    },

    /** One JSON array of objects; key and value as {@link JsonText} writes them. */
    JSON("application/json") {
        @Override
        void write(Entry entry, boolean isFirst, boolean keysOnly, StreamSink sink) {
            byte[] key = JsonText.escaped(entry.key());
            byte[] value = keysOnly ? NOTHING : JsonText.escaped(entry.value());
            sink.chunk(
                    isFirst ? FIRST : NEXT,
                    KEY_NAME.before(key),
                    JsonText.value(key, entry.key()),
                    keysOnly ? NOTHING : COMMA,
                    keysOnly ? NOTHING : VALUE_NAME.before(value),
                    keysOnly ? NOTHING : JsonText.value(value, entry.value()),
                    beforeVersion(entry),
                    version(entry),
                    OBJECT_END);
        }

        @Override
        long bytes(Entry entry, boolean keysOnly) {
            int around = NEXT.length + beforeVersion(entry).length + OBJECT_END.length;
            long key = KEY_NAME.bytes(entry.key());
            long value = keysOnly ? 0 : COMMA.length + VALUE_NAME.bytes(entry.value());
            return chunk(around + key + value + entry.timestamp().textLength());
        }

        @Override
        void end(boolean isEmpty, @Nullable String cursor, StreamSink sink) {
            if (cursor == null) {
                sink.chunk(isEmpty ? EMPTY_ARRAY : ARRAY_END);
            } else {
                sink.chunk(
                        isEmpty ? ARRAY_BEGIN : SEPARATOR,
                        CURSOR,
                        ascii(cursor),
                        OBJECT_END,
                        ARRAY_END);
            }
        }
    };

    private static final byte[] NOTHING = {};
    private static final byte[] LINE_FEED = {'\n'};
    private static final byte[] KEY = ascii("{\"key\":\"");
    private static final byte[] VALUE = ascii("\",\"value\":\"");
    private static final byte[] VERSION = ascii("\",\"version\":\"");
    private static final byte[] CURSOR = ascii("{\"cursor\":\"");
    private static final byte[] LINE_END = ascii("\"}\n");

    private static final byte[] FIRST = ascii("[\n{");
    private static final byte[] NEXT = ascii(",\n{");
    private static final byte[] COMMA = ascii("\",");
    private static final byte[] OBJECT_END = ascii("\"}");
    private static final byte[] ARRAY_BEGIN = ascii("[\n");
    private static final byte[] SEPARATOR = ascii(",\n");
    private static final byte[] EMPTY_ARRAY = ascii("[]\n");
    private static final byte[] ARRAY_END = ascii("\n]\n");
    private static final JsonText.Name KEY_NAME = new JsonText.Name("key");
    private static final JsonText.Name VALUE_NAME = new JsonText.Name("value");

    /** Maximum bytes of the end of a delivery, with the longest cursor. */
    static final long MAX_END_BYTES = 2_048;

    private final String contentType;

    EntityFormat(String contentType) {
        this.contentType = contentType;
    }

    String contentType() {
        return contentType;
    }

    abstract void write(Entry entry, boolean isFirst, boolean keysOnly, StreamSink sink);

    /** Bytes of a sent entry, including its chunk's header. */
    abstract long bytes(Entry entry, boolean keysOnly);

    /**
     * Writes the end, after the last entry.
     *
     * @param isEmpty whether no entry was written
     * @param cursor the cursor of the next page; null if the range is complete
     */
    void end(boolean isEmpty, @Nullable String cursor, StreamSink sink) {}

    /**
     * The text from the end of the previous member to the version, with expiry and content type.
     */
    private static byte[] beforeVersion(Entry entry) {
        String more = expires(entry) + JsonText.contentType(entry.contentType());
        return more.isEmpty() ? VERSION : ascii("\"" + more + ",\"version\":\"");
    }

    /** The member for when an entry expires, after a comma; empty if it does not. */
    static String expires(Entry entry) {
        return entry.expiresAtMillis() == Entry.NEVER
                ? ""
                : ",\"expires\":" + entry.expiresAtMillis();
    }

    private static byte[] version(Entry entry) {
        return ascii(entry.timestamp().toString());
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static long chunk(long bytes) {
        return Long.toHexString(bytes).length() + 2L + bytes + 2;
    }

    /** The format that a client accepts; by default {@link #CHUNKS}, which is {@code plain}. */
    static EntityFormat accepted(@Nullable String accept, String plain) {
        String best = Accept.best(accept, plain, JSON_LINES.contentType, JSON.contentType);
        return best.equals(plain) ? CHUNKS : best.equals(JSON.contentType) ? JSON : JSON_LINES;
    }
}
