package dev.quorate.node.transport;

import dev.quorate.node.message.Lane;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.transport.LaneQueue.Admission;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one kind for one peer: sends them, and hands out their answers. {@link
 * LaneQueue} decides what leaves when.
 *
 * <p>An operation that comes while nothing is in flight leaves at once, alone. Those that come
 * while an exchange is in flight leave together with the next. So batches grow with the load by
 * themselves, and nothing ever waits for company. One exchange in flight was measured to be better
 * than two or four: more only make the batches smaller.
 */
final class PeerLane {

    private final PeerContact peer;
    private final Consumer<PendingRequest> bulk;

    /** Its lock guards what changes in it; nothing is called under it. */
    private final LaneQueue queue;

    /** When the exchange in flight left, in {@code Ticker.nanos} time. Read without the lock. */
    private volatile long sentNanos;

    /** Whether there is one. Read without the lock. */
    private volatile boolean awaiting;

    /**
     * @param bulk takes operations whose answer is too large for this lane
     */
    PeerLane(PeerContact peer, Lane lane, TransportOptions options, Consumer<PendingRequest> bulk) {
        this.peer = peer;
        this.bulk = bulk;
        this.queue = new LaneQueue(lane, options);
    }

    /** Takes an operation; false if there are too many. */
    boolean offer(PendingRequest request) {
        Admission admission;
        synchronized (queue) {
            admission = queue.add(request);
        }
        if (admission == Admission.LEAVES) {
            pump();
        }
        return admission != Admission.REFUSED;
    }

    /** Sends what waits, one exchange after the other, until one is in flight or none is left. */
    private void pump() {
        PeerExchange next;
        while ((next = takeNext()) != null) {
            PeerExchange exchange = next;
            if (!peer.send(exchange, () -> completed(exchange))) {
                return;
            }
            List<@Nullable ReplicaAnswer> answers = end(exchange);
            handOut(exchange, answers);
        }
    }

    /** An exchange in flight has ended: the next leaves before the answers are handed out. */
    private void completed(PeerExchange exchange) {
        List<@Nullable ReplicaAnswer> answers = end(exchange);
        pump();
        handOut(exchange, answers);
    }

    private @Nullable PeerExchange takeNext() {
        if (!peer.mayAsk()) {
            failWaiting();
        }
        synchronized (queue) {
            PeerExchange next = queue.takeNext();
            if (next != null) {
                sentNanos = peer.nanos();
                awaiting = true;
            }
            return next;
        }
    }

    /** The peer is given up for now: what waits for it has no chance. */
    private void failWaiting() {
        boolean isSuspected = peer.isSuspected();
        List<PendingRequest> hopeless;
        synchronized (queue) {
            hopeless = queue.takeWaiting(isSuspected);
        }
        for (PendingRequest request : hopeless) {
            request.complete(peer.notAsked());
        }
    }

    private List<@Nullable ReplicaAnswer> end(PeerExchange exchange) {
        List<@Nullable ReplicaAnswer> answers = peer.read(exchange);
        synchronized (queue) {
            awaiting = false;
            queue.ended(exchange, answers);
        }
        return answers;
    }

    private void handOut(PeerExchange exchange, List<@Nullable ReplicaAnswer> answers) {
        for (int i = 0; i < answers.size(); i++) {
            PendingRequest request = exchange.pending.get(i);
            ReplicaAnswer answer = answers.get(i);
            if (answer != null) {
                request.complete(answer);
            } else if (queue.fate(exchange, request, null) == LaneQueue.Fate.BULK) {
                bulk.accept(request);
            }
        }
    }

    /** Fails what is past its deadline, and ends an exchange that is overdue. */
    void sweep(long nowNanos, long graceNanos) {
        if (!peer.mayAsk()) {
            failWaiting();
        }
        List<PendingRequest> late;
        PeerExchange exchange;
        synchronized (queue) {
            exchange = queue.inFlight();
            late = queue.takeLate(nowNanos);
        }
        for (PendingRequest request : late) {
            request.fail(Failure.TIMEOUT, "not sent: the exchange before it is not answered");
        }
        if (exchange != null) {
            for (PendingRequest request : exchange.pending) {
                if (request.isPast(nowNanos)) {
                    request.fail(Failure.TIMEOUT, "no answer in time");
                }
            }
            if (nowNanos - exchange.deadlineNanos - graceNanos >= 0) {
                exchange.cancel();
            }
        }
    }

    /** Whether the exchange in flight has been for longer than that. */
    boolean isSlow(long nowNanos, long longerThanNanos) {
        return awaiting && nowNanos - sentNanos > longerThanNanos;
    }

    int operations() {
        synchronized (queue) {
            return queue.operations();
        }
    }

    long bytes() {
        synchronized (queue) {
            return queue.bytes();
        }
    }

    long exchangesSent() {
        synchronized (queue) {
            return queue.exchangesSent();
        }
    }

    long operationsSent() {
        synchronized (queue) {
            return queue.operationsSent();
        }
    }
}
