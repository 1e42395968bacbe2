package dev.quorate.loadtest.openloop;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.StoredValues;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The requests of one thread, one after the other; the same load produces the same ones again.
 * {@code bench.lua} makes the same of a load, of other random keys.
 */
final class RequestStream {

    private static final long SEED_STRIDE = 7_919;

    private final Load.Requests requests;
    private final boolean inOrder;
    private final boolean endsWithLastKey;
    private final int thread;
    private final int threads;

    /** Of all keys, for a load in order. */
    private final int firstKey;

    private final int keyCount;

    private final SplittableRandom random;
    private final byte[] readHead;
    private final byte[] readTail;
    private final byte[] putHead;
    private final byte[] putTail;

    /** Whether what is read has a key in it, between head and tail. */
    private final boolean readsKeys;

    private long given;

    /**
     * Of a thread.
     *
     * @param host of the server, with its port
     * @param thread its number, from zero on
     */
    RequestStream(Load load, String host, int thread) {
        this.requests = load.requests();
        this.inOrder = load.inOrder();
        this.endsWithLastKey = load.manner() == Manner.EVERY_KEY;
        this.thread = thread;
        this.threads = load.clients().threads();
        this.firstKey = (int) ((long) requests.keys() * thread / threads);
        this.keyCount = (int) ((long) requests.keys() * (thread + 1) / threads) - firstKey;
        this.random = new SplittableRandom(1 + thread * SEED_STRIDE);
        int valueBytes = requests.valueBytes();
        String prefix = StoredValues.keyPrefix(valueBytes);
        String entity = " /v0/entity?id=";
        String query = "&" + requests.query();
        String rest = " HTTP/1.1\r\nHost: " + host + "\r\n";
        String newPrefix = StoredValues.newKeyPrefix(valueBytes, requests.series());
        boolean isNew = requests.operation() == Operation.PUT_NEW;
        putHead = bytes("PUT" + entity + (isNew ? newPrefix : prefix));
        putTail = bytes(query + rest + "Content-Length: " + valueBytes + "\r\n\r\n");
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
                            case GET, GET_ONCE, GET_ABSENT, MIXED, PUT, PUT_NEW ->
                                    "GET" + entity + prefix;
                        });
        readTail =
                bytes(
                        switch (requests.operation()) {
                            case STATIC, RANGE -> "";
                            // Between the stored keys, so that no key range excludes them.
                            case GET_ABSENT -> "x" + query + end;
                            case GET, GET_ONCE, DELETE, MIXED, PUT, PUT_NEW -> query + end;
                        });
        readsKeys = readTail.length > 0;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    /** The most bytes that a request can have. */
    int mostBytes() {
        int read = readHead.length + StoredValues.DIGITS + readTail.length;
        int put = putHead.length + StoredValues.DIGITS + putTail.length + requests.valueBytes();
        return Math.max(read, put);
    }

    /** Whether this thread has sent every key once that it is to send, and no more are wanted. */
    boolean isOver() {
        return endsWithLastKey && given >= keyCount;
    }

    /** How many keys this thread is to send at least once in a load in order. */
    int keyCount() {
        return keyCount;
    }

    /** Decides what is asked for next. */
    void next(Asked asked) {
        long number = given++;
        asked.isPut =
                switch (requests.operation()) {
                    case PUT, PUT_NEW -> true;
                    case MIXED -> number % 2 == 1;
                    case STATIC, GET, GET_ONCE, GET_ABSENT, DELETE, RANGE -> false;
                };
        if (requests.operation() == Operation.PUT_NEW) {
            asked.key = (int) (number * threads + thread);
        } else if (readsKeys) {
            asked.key =
                    inOrder
                            ? firstKey + (int) (number % Math.max(1, keyCount))
                            : random.nextInt(requests.keys());
        }
    }

    /** Appends the bytes of what is asked for to a buffer. */
    void encode(Asked asked, ByteBuffer to) {
        if (asked.isPut) {
            to.put(putHead);
            StoredValues.putDigits(asked.key, to);
            to.put(putTail);
            StoredValues.putValue(asked.key, requests.valueBytes(), to);
        } else {
            to.put(readHead);
            if (readsKeys) {
                StoredValues.putDigits(asked.key, to);
                to.put(readTail);
            }
        }
    }
}
