package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** The sequence of requests of one thread. Equal loads have equal sequences. */
final class RequestStream {

    private final Load.Requests requests;
    private final boolean inOrder;
    private final boolean endsWithLastKey;
    private final int thread;
    private final int threads;

    /** The first key of this thread, for a load in order. */
    private final int firstKey;

    private final int keyCount;

    private final SplittableRandom random;
    private final HttpEncoder encoder;

    private final boolean readsKeys;

    private long given;

    /**
     * @param thread the number of the thread, from 0
     */
    RequestStream(Load load, String host, int thread) {
        this.requests = load.requests();
        this.inOrder = load.inOrder();
        this.endsWithLastKey = load.manner() == Manner.EVERY_KEY;
        this.thread = thread;
        this.threads = load.clients().threads();
        this.firstKey = (int) ((long) requests.keys() * thread / threads);
        this.keyCount = (int) ((long) requests.keys() * (thread + 1) / threads) - firstKey;
        this.random = new SplittableRandom(1 + thread * 7_919);
        this.encoder = new HttpEncoder(load.requests(), host);
        this.readsKeys =
                switch (requests.operation()) {
                    case STATIC, RANGE -> false;
                    case GET, GET_ONCE, GET_ABSENT, PUT, PUT_NEW, PUT_IF_MATCH, DELETE, MIXED ->
                            true;
                };
    }

    int mostBytes() {
        return encoder.mostBytes();
    }

    boolean isOver() {
        return endsWithLastKey && given >= keyCount;
    }

    /** The number of keys of this thread in a load in order. */
    int keyCount() {
        return keyCount;
    }

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

    void encode(Asked asked, ByteBuffer to) {
        encoder.encode(asked, to);
    }
}
