package dev.quorate.node.api;

import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.storage.Entry;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How a range's entries are written. */
enum EntityFormat {
    /** Each entry a chunk of its own: its key, a line feed, its value. */
    CHUNKS("application/octet-stream") {
        @Override
        void write(Entry entry, StreamSink sink) {
            sink.chunk(entry.key(), LINE_FEED, entry.value());
        }

        @Override
        long bytes(Entry entry) {
            return chunk((long) entry.key().length + LINE_FEED.length + entry.valueBytes());
        }
    },

    /** Each entry a line with a JSON object; key and value in base64 (RFC 4648, 4). */
    JSON_LINES("application/x-ndjson") {
        @Override
        void write(Entry entry, StreamSink sink) {
            Base64.Encoder base64 = Base64.getEncoder();
            sink.chunk(
                    KEY,
                    base64.encode(entry.key()),
                    VALUE,
                    base64.encode(entry.value()),
                    VERSION,
                    entry.timestamp().toString().getBytes(StandardCharsets.US_ASCII),
                    END);
        }

        @Override
        long bytes(Entry entry) {
            int around = KEY.length + VALUE.length + VERSION.length + END.length;
            long encoded = base64(entry.key().length) + base64(entry.valueBytes());
            return chunk(around + encoded + entry.timestamp().textLength());
        }
    };

    private static final byte[] LINE_FEED = {'\n'};
    private static final byte[] KEY = "{\"key\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] VALUE = "\",\"value\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] VERSION = "\",\"version\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "\"}\n".getBytes(StandardCharsets.US_ASCII);

    private final String contentType;

    EntityFormat(String contentType) {
        this.contentType = contentType;
    }

    String contentType() {
        return contentType;
    }

    abstract void write(Entry entry, StreamSink sink);

    /** Bytes of an entry as it is sent, including its chunk's header. */
    abstract long bytes(Entry entry);

    private static long chunk(long bytes) {
        return Long.toHexString(bytes).length() + 2L + bytes + 2;
    }

    private static long base64(int bytes) {
        return (bytes + 2L) / 3 * 4;
    }

    /** The format for an Accept header: lines where that type is named, chunks otherwise. */
    static EntityFormat accepted(@Nullable String accept) {
        if (accept == null) {
            return CHUNKS;
        }
        for (String range : accept.split(",", -1)) {
            int parameters = range.indexOf(';');
            String type = parameters < 0 ? range : range.substring(0, parameters);
            if (type.strip().toLowerCase(Locale.ROOT).equals(JSON_LINES.contentType)) {
                return JSON_LINES;
            }
        }
        return CHUNKS;
    }
}
