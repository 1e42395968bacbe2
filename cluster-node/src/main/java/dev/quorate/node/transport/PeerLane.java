package dev.quorate.node.transport;

import dev.quorate.node.message.Lane;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one kind for one peer: a queue, and one exchange in flight.
 *
 * <p>An operation that comes while nothing is in flight leaves at once, alone. Those that come
 * while an exchange is in flight leave together with the next. So batches grow with the load by
 * themselves, and nothing ever waits for company. One exchange in flight was measured to be better
 * than two or four: more only make the batches smaller.
 *
 * <p>The lock guards the fields below it and nothing is called under it. What is counted is counted
 * until its exchange ends, also if nobody waits for it any more, because it holds memory until
 * then.
 */
final class PeerLane {

    private final Peer peer;
    private final Lane lane;
    private final TransportOptions options;
    private final long maxBytes;

    private final Deque<PendingRequest> queue = new ArrayDeque<>();
    private @Nullable PeerExchange inFlight;

    /** Whether some thread is sending, or an exchange is in flight: it will see to the queue. */
    private boolean busy;

    /** When the exchange in flight left, in {@code Ticker.nanos} time. Read without the lock. */
    private volatile long sentNanos;

    /** Whether there is one. Read without the lock. */
    private volatile boolean awaiting;

    private int operations;
    private long bytes;
    private long exchangesSent;
    private long operationsSent;

    PeerLane(Peer peer, Lane lane, TransportOptions options) {
        this.peer = peer;
        this.lane = lane;
        this.options = options;
        this.maxBytes = lane.takesLarge() ? options.maxBulkBytes() : options.maxLaneBytes();
    }

    /** Takes an operation; false if there are too many. */
    boolean offer(PendingRequest request) {
        synchronized (this) {
            if (operations >= options.maxLaneOperations()
                    || (operations > 0 && bytes + request.bytes > maxBytes)) {
                return false;
            }
            queue.add(request);
            count(request);
            if (busy) {
                return true;
            }
            busy = true;
        }
        pump();
        return true;
    }

    private void count(PendingRequest request) {
        operations++;
        bytes += request.bytes;
    }

    private void discount(PendingRequest request) {
        operations--;
        bytes -= request.bytes;
    }

    /**
     * Sends what is queued, one exchange after the other, until one is in flight or none is left.
     */
    private void pump() {
        PeerExchange next;
        while ((next = takeNext()) != null) {
            PeerExchange exchange = next;
            if (!peer.send(exchange, () -> completed(exchange))) {
                return;
            }
            List<@Nullable ReplicaAnswer> answers = finish(exchange);
            handOut(exchange, answers);
        }
    }

    /** An exchange in flight has ended: the next leaves before the answers are handed out. */
    private void completed(PeerExchange exchange) {
        List<@Nullable ReplicaAnswer> answers = finish(exchange);
        pump();
        handOut(exchange, answers);
    }

    private @Nullable PeerExchange takeNext() {
        if (!peer.mayAsk()) {
            failQueue();
        }
        synchronized (this) {
            List<PendingRequest> batch = new ArrayList<>();
            long batchBytes = 0;
            @Nullable PendingRequest head;
            while (batch.size() < options.maxBatchOperations() && (head = queue.peek()) != null) {
                batchBytes += head.bytes;
                if (batchBytes > options.maxBatchBytes() && !batch.isEmpty()) {
                    break;
                }
                batch.add(queue.remove());
            }
            if (batch.isEmpty()) {
                busy = false;
                return null;
            }
            inFlight = new PeerExchange(lane, batch, latestDeadline(batch));
            sentNanos = peer.nanos();
            awaiting = true;
            exchangesSent++;
            operationsSent += batch.size();
            return inFlight;
        }
    }

    private static long latestDeadline(List<PendingRequest> batch) {
        long latest = batch.getFirst().deadlineNanos;
        for (PendingRequest request : batch) {
            if (request.deadlineNanos - latest > 0) {
                latest = request.deadlineNanos;
            }
        }
        return latest;
    }

    /** The peer is given up for now: what waits for it has no chance. */
    private void failQueue() {
        boolean isSuspected = peer.isSuspected();
        for (PendingRequest request : takeQueue(isSuspected)) {
            request.settle(peer.notAsked());
        }
    }

    private synchronized List<PendingRequest> takeQueue(boolean butForThoseThatInsist) {
        List<PendingRequest> taken = new ArrayList<>(queue);
        if (butForThoseThatInsist) {
            taken.removeIf(request -> request.insists);
            queue.removeIf(request -> !request.insists);
        } else {
            queue.clear();
        }
        taken.forEach(this::discount);
        return taken;
    }

    /**
     * Reads what came back. In a lane for large answers, what did not fit goes first next time; and
     * so does what was meant for another life of the peer, in any.
     */
    private List<@Nullable ReplicaAnswer> finish(PeerExchange exchange) {
        List<@Nullable ReplicaAnswer> answers = peer.read(exchange);
        synchronized (this) {
            inFlight = null;
            awaiting = false;
            for (int i = exchange.pending.size() - 1; i >= 0; i--) {
                PendingRequest request = exchange.pending.get(i);
                boolean isMissing = answers.get(i) == null && !request.isSettled();
                if (isMissing && (lane.takesLarge() || exchange.leavesAgain())) {
                    queue.addFirst(request);
                } else {
                    discount(request);
                }
            }
        }
        return answers;
    }

    private void handOut(PeerExchange exchange, List<@Nullable ReplicaAnswer> answers) {
        for (int i = 0; i < answers.size(); i++) {
            PendingRequest request = exchange.pending.get(i);
            ReplicaAnswer answer = answers.get(i);
            if (answer != null) {
                request.settle(answer);
            } else if (!lane.takesLarge() && !exchange.leavesAgain() && !request.isSettled()) {
                peer.askInBulk(request);
            }
        }
    }

    /** Fails what is past its deadline, and ends an exchange that is overdue. */
    void sweep(long nowNanos, long graceNanos) {
        if (!peer.mayAsk()) {
            failQueue();
        }
        List<PendingRequest> late;
        PeerExchange exchange;
        synchronized (this) {
            exchange = inFlight;
            late = takeLate(nowNanos);
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

    private List<PendingRequest> takeLate(long nowNanos) {
        if (queue.isEmpty()) {
            return List.of();
        }
        List<PendingRequest> late = new ArrayList<>();
        for (Iterator<PendingRequest> i = queue.iterator(); i.hasNext(); ) {
            PendingRequest request = i.next();
            if (request.isPast(nowNanos)) {
                late.add(request);
                discount(request);
                i.remove();
            }
        }
        return late;
    }

    /** Whether the exchange in flight has been for longer than that. */
    boolean isSlow(long nowNanos, long longerThanNanos) {
        return awaiting && nowNanos - sentNanos > longerThanNanos;
    }

    synchronized int operations() {
        return operations;
    }

    synchronized long bytes() {
        return bytes;
    }

    synchronized long exchangesSent() {
        return exchangesSent;
    }

    synchronized long operationsSent() {
        return operationsSent;
    }
}
