package dev.quorate.loadtest.openloop;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.loadtest.http.AnswerReader;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.StoredValues;
import java.nio.ByteBuffer;

/** Encodes the requests of a load. For one thread. */
final class HttpEncoder {

    private static final byte[] IF_MATCH = bytes("If-Match: ");
    private static final byte[] LINE_END = bytes("\r\n");

    private final int valueBytes;
    private final byte[] readHead;
    private final byte[] readTail;
    private final byte[] putHead;
    private final byte[] putTail;
    private final boolean isConditional;

    /**
     * @param host the host of the server with its port
     */
    HttpEncoder(Load.Requests requests, String host) {
        valueBytes = requests.valueBytes();
        String prefix = StoredValues.keyPrefix(valueBytes);
        String entity = " /v0/entity?id=";
        String query = "&" + requests.query();
        String rest = " HTTP/1.1\r\nHost: " + host + "\r\n";
        String newPrefix = StoredValues.newKeyPrefix(valueBytes, requests.series());
        boolean isNew = requests.operation() == Operation.PUT_NEW;
        putHead = bytes("PUT" + entity + (isNew ? newPrefix : prefix));
        isConditional = requests.operation() == Operation.PUT_IF_MATCH;
        putTail = bytes(query + rest + "Content-Length: " + valueBytes + "\r\n");
        String end = rest + "\r\n";
        String range =
                "start="
                        + StoredValues.key(0, valueBytes)
                        + "&end="
                        + StoredValues.rangeEnd(valueBytes);
        readHead =
                bytes(
                        switch (requests.operation()) {
                            case STATIC -> "GET /v0/status?bytes=" + valueBytes + end;
                            case RANGE -> "GET /v0/entities?" + range + query + end;
                            case DELETE -> "DELETE" + entity + prefix;
                            case GET, GET_ONCE, GET_ABSENT, MIXED, PUT, PUT_NEW, PUT_IF_MATCH ->
                                    "GET" + entity + prefix;
                        });
        readTail =
                bytes(
                        switch (requests.operation()) {
                            case STATIC, RANGE -> "";
                            // Between the stored keys, so that the key ranges of tables include
                            // them.
                            case GET_ABSENT -> "x" + query + end;
                            case GET, GET_ONCE, DELETE, MIXED, PUT, PUT_NEW, PUT_IF_MATCH ->
                                    query + end;
                        });
    }

    /** The maximum length of a request, in bytes. */
    int mostBytes() {
        int read = readHead.length + StoredValues.DIGITS + readTail.length;
        int tag = IF_MATCH.length + AnswerReader.MAX_TAG_BYTES + 2 * LINE_END.length;
        int put = putHead.length + StoredValues.DIGITS + putTail.length + tag + valueBytes;
        return Math.max(read, put);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    void encode(Asked asked, ByteBuffer to) {
        if (asked.isPut) {
            to.put(putHead);
            StoredValues.putDigits(asked.key, to);
            to.put(putTail);
            if (isConditional && asked.tagBytes > 0) {
                to.put(IF_MATCH).put(asked.tag, 0, asked.tagBytes).put(LINE_END);
            }
            to.put(LINE_END);
            StoredValues.putValue(asked.key, valueBytes, to);
        } else {
            to.put(readHead);
            // Requests without a key have no tail.
            if (readTail.length > 0) {
                StoredValues.putDigits(asked.key, to);
                to.put(readTail);
            }
        }
    }
}
