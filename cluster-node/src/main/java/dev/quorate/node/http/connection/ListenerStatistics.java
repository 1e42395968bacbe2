package dev.quorate.node.http.connection;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** A listener's counters since it started. */
public final class ListenerStatistics {

    /** Why the listener itself refused a connection or a request. */
    public enum Rejection {
        /** As many connections as allowed are open. */
        CONNECTIONS,
        MALFORMED,
        /** Longer than allowed: target, headers or body. */
        LIMITS,
        /** A memory budget is exhausted. */
        BYTES,
        /** Too slow to send or to read. */
        DEADLINE,
        /** Records of TLS that carry no data. */
        TLS_RECORDS
    }

    public final LongAdder accepted = new LongAdder();

    /** Requests handed to the handler. */
    public final LongAdder requests = new LongAdder();

    public final LongAdder bytesRead = new LongAdder();
    public final LongAdder bytesWritten = new LongAdder();

    /** Handshakes of TLS that were completed. */
    public final LongAdder handshakes = new LongAdder();

    /** Handshakes of TLS that were not begun, because they were late or their client had left. */
    public final LongAdder droppedHandshakes = new LongAdder();

    /** Handshakes and records of TLS that were refused. */
    public final LongAdder failuresOfTls = new LongAdder();

    private final Map<Rejection, LongAdder> rejected = new EnumMap<>(Rejection.class);

    ListenerStatistics() {
        for (Rejection why : Rejection.values()) {
            rejected.put(why, new LongAdder());
        }
    }

    void reject(Rejection why) {
        counter(why).increment();
    }

    /** Counts a request that was refused with this status. */
    void rejectWith(int status) {
        reject(
                switch (status) {
                    case 413, 414, 431 -> Rejection.LIMITS;
                    case 503 -> Rejection.BYTES;
                    case 408 -> Rejection.DEADLINE;
                    default -> Rejection.MALFORMED;
                });
    }

    private LongAdder counter(Rejection why) {
        return Objects.requireNonNull(rejected.get(why));
    }

    public long rejected(Rejection why) {
        return counter(why).sum();
    }
}
