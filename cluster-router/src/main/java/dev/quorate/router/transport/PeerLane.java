package dev.quorate.router.transport;

import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.runtime.Turn;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.LaneQueue.Admission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One lane to one peer: sends its operations, and delivers their answers. {@link LaneQueue} decides
 * which operations are sent, and when.
 *
 * <p>An operation that arrives while nothing is in flight is sent at the end of the selector's
 * current {@link Turn}, with the other operations of that turn. Operations that arrive while an
 * exchange is in flight are sent with the next one. So batches grow with the load, and no operation
 * waits for a batch to fill, unless its answer is not needed: then it is sent with the next one
 * that is, or {@link #LINGER} later. One exchange in flight was measured to be better than two or
 * four, which only make batches smaller.
 */
final class PeerLane {

    /** How long an operation whose answer is not needed waits for others at most. */
    private static final Duration LINGER = Duration.ofMillis(1);

    private final PeerContact peer;
    private final Lane lane;
    private final Consumer<PendingRequest> bulk;

    /** Guarded by its own lock, which is not held during callbacks. */
    private final LaneQueue queue;

    /**
     * When the exchange in flight was sent, in {@code Ticker.nanos} time. Read without the lock.
     */
    private volatile long sentNanos;

    /** The exchange in flight; null for none. Read without the lock. */
    private volatile PeerContact.@Nullable Exchange inFlight;

    /** Whether the next exchange waits until the peer was told this node's topology. */
    private boolean isHeld;

    /** See {@link #isJoinable}. Read without the lock. */
    private volatile boolean joinable;

    /**
     * @param bulk receives operations whose answer is too large for this lane
     */
    PeerLane(PeerContact peer, Lane lane, TransportOptions options, Consumer<PendingRequest> bulk) {
        this.peer = peer;
        this.lane = lane;
        this.bulk = bulk;
        this.queue = new LaneQueue(lane, options);
    }

    /** Queues an operation; false if the lane is full. */
    boolean offer(PendingRequest request) {
        Admission admission;
        boolean lingers;
        synchronized (queue) {
            admission = queue.add(request);
            lingers = queue.startsTimer();
            joinable = queue.isJoinable();
        }
        if (lingers) {
            peer.after(LINGER, this::sendAll);
        }
        if (admission == Admission.LEAVES) {
            Turn.atEnd(this::pump);
        }
        return admission != Admission.REFUSED;
    }

    /** Sends the operations that linger. */
    private void sendAll() {
        boolean leaves;
        synchronized (queue) {
            leaves = queue.sendAll();
        }
        if (leaves) {
            pump();
        }
    }

    /**
     * Sends waiting operations, one exchange after the other, until one is in flight or none waits.
     */
    private void pump() {
        PeerContact.Exchange next;
        while ((next = nextExchange()) != null) {
            PeerContact.Exchange exchange = next;
            if (!exchange.send(() -> completed(exchange))) {
                return;
            }
            List<@Nullable ReplicaAnswer> answers = end(exchange);
            deliver(exchange, answers);
        }
    }

    /** Sends the next exchange, then delivers the answers of the completed one. */
    private void completed(PeerContact.Exchange exchange) {
        List<@Nullable ReplicaAnswer> answers = end(exchange);
        pump();
        deliver(exchange, answers);
    }

    private PeerContact.@Nullable Exchange nextExchange() {
        if (!peer.mayAsk()) {
            failWaiting();
        }
        Topology topology = peer.topology();
        List<PendingRequest> stale = new ArrayList<>(0);
        PeerContact.Exchange next = null;
        boolean lingers;
        synchronized (queue) {
            joinable = false;
            if (lane != Lane.CONTROL && peer.isTelling()) {
                isHeld = true;
                return null;
            }
            List<PendingRequest> batch = queue.nextBatch(topology, stale);
            if (batch != null) {
                next = peer.new Exchange(lane, batch, LaneQueue.latestDeadline(batch), topology);
                sentNanos = peer.nanos();
                inFlight = next;
            }
            joinable = queue.isJoinable();
            lingers = queue.startsTimer();
        }
        for (PendingRequest request : stale) {
            request.fail(Failure.STALE, "not sent: this node is in another epoch now");
        }
        if (lingers) {
            peer.after(LINGER, this::sendAll);
        }
        if (next == null) {
            return null;
        }
        if (isOfClients()) {
            for (PendingRequest request : next.pending) {
                if (request.isNeeded) {
                    peer.queueTimes.record(sentNanos - request.queuedNanos);
                }
                request.onSent(sentNanos);
            }
        }
        return next;
    }

    /**
     * Continues after the peer was told a topology.
     *
     * @param uses whether the peer uses it now; if not, what waits fails
     */
    void resume(boolean uses) {
        List<PendingRequest> hopeless;
        synchronized (queue) {
            if (!isHeld) {
                return;
            }
            isHeld = false;
            hopeless = uses ? List.of() : queue.removeWaiting(false);
        }
        for (PendingRequest request : hopeless) {
            request.fail(Failure.STALE, "it does not use the topology of this node");
        }
        pump();
    }

    private void failWaiting() {
        boolean isSuspected = peer.isSuspected();
        List<PendingRequest> hopeless;
        synchronized (queue) {
            hopeless = queue.removeWaiting(isSuspected);
        }
        for (PendingRequest request : hopeless) {
            request.complete(peer.notAsked());
        }
    }

    private List<@Nullable ReplicaAnswer> end(PeerContact.Exchange exchange) {
        List<@Nullable ReplicaAnswer> answers = exchange.read();
        if (exchange.error == null && isOfClients()) {
            peer.exchangeTimes.record(peer.nanos() - sentNanos);
        }
        synchronized (queue) {
            inFlight = null;
            queue.ended(exchange.pending, answers, exchange.isResent);
        }
        return answers;
    }

    private boolean isOfClients() {
        return lane == Lane.READ || lane == Lane.WRITE;
    }

    private void deliver(PeerContact.Exchange exchange, List<@Nullable ReplicaAnswer> answers) {
        List<PendingRequest> requests = exchange.pending;
        exchange.forget();
        for (int i = 0; i < answers.size(); i++) {
            PendingRequest request = requests.get(i);
            ReplicaAnswer answer = answers.get(i);
            if (answer != null) {
                request.complete(answer);
            } else if (queue.fate(request, null, exchange.isResent) == LaneQueue.Fate.BULK) {
                bulk.accept(request);
            }
        }
    }

    /**
     * Fails operations past their deadline, and cancels an overdue exchange.
     *
     * @return whether an exchange is in flight
     */
    boolean sweep(long nowNanos, long graceNanos) {
        if (!peer.mayAsk()) {
            failWaiting();
        }
        List<PendingRequest> late;
        PeerContact.Exchange exchange;
        synchronized (queue) {
            exchange = inFlight;
            late = queue.removeExpired(nowNanos);
        }
        if (!late.isEmpty()) { // an iterator each time would be most of an idle node's garbage
            for (PendingRequest request : late) {
                request.fail(Failure.TIMEOUT, "not sent: the exchange before it is not answered");
            }
        }
        if (exchange != null) {
            for (PendingRequest request : exchange.pending) {
                if (request.isPast(nowNanos)) {
                    request.fail(Failure.TIMEOUT, "no answer in time");
                }
            }
            // A large exchange occupies memory that is no longer reserved for it.
            long grace = lane.takesLarge() ? 0 : graceNanos;
            if (nowNanos - exchange.deadlineNanos - grace >= 0) {
                exchange.cancel();
            }
        }
        return exchange != null;
    }

    /** See {@link dev.quorate.router.replica.Replica#isJoinable}. */
    boolean isJoinable() {
        return joinable;
    }

    boolean isSlow(long nowNanos, long longerThanNanos) {
        return inFlight != null && nowNanos - sentNanos > longerThanNanos;
    }

    long figure(ToLongFunction<LaneQueue> figure) {
        synchronized (queue) {
            return figure.applyAsLong(queue);
        }
    }
}
