package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** The requests of one thread, one after the other; the same load produces the same ones again. */
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
    private final RequestEncoder encoder;

    /** Whether what is read has a key in it. */
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
        this.encoder = RequestEncoder.of(load, host);
        this.readsKeys =
                switch (requests.operation()) {
                    case STATIC, RANGE -> false;
                    case GET, GET_ONCE, GET_ABSENT, PUT, PUT_NEW, PUT_IF_MATCH, DELETE, MIXED ->
                            true;
                };
    }

    /** The most bytes that a request can have. */
    int mostBytes() {
        return encoder.mostBytes();
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
                    case PUT, PUT_NEW, PUT_IF_MATCH -> true;
                    case MIXED -> number % 2 == 1;
                    case STATIC, GET, GET_ONCE, GET_ABSENT, DELETE, RANGE -> false;
                };
        if (requests.operation() == Operation.PUT_NEW) {
            asked.key = (int) (number * threads + thread);
        } else if (requests.operation() == Operation.PUT_IF_MATCH) {
            asked.key = asked.connection;
        } else if (readsKeys) {
            asked.key =
                    inOrder
                            ? firstKey + (int) (number % Math.max(1, keyCount))
                            : random.nextInt(requests.keys());
        }
    }

    /** Appends the bytes of what is asked for to a buffer. */
    void encode(Asked asked, ByteBuffer to) {
        encoder.encode(asked, to);
    }
}
