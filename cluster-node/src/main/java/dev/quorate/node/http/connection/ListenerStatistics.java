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
        /** Malformed HTTP. */
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

    final LongAdder accepted = new LongAdder();
    final LongAdder requests = new LongAdder();
    final LongAdder bytesRead = new LongAdder();
    final LongAdder bytesWritten = new LongAdder();
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

    /** Connections accepted. */
    public long accepted() {
        return accepted.sum();
    }

    /** Requests handed to the handler. */
    public long requests() {
        return requests.sum();
    }

    public long bytesRead() {
        return bytesRead.sum();
    }

    public long bytesWritten() {
        return bytesWritten.sum();
    }

    public long rejected(Rejection why) {
        return counter(why).sum();
    }
}
