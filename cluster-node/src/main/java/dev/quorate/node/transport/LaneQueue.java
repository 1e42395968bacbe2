package dev.quorate.node.transport;

import dev.quorate.node.message.Lane;
import dev.quorate.node.message.ReplicaAnswer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one lane to one peer: those that wait, and one exchange in flight. Decides who
 * is admitted, what leaves together, and what becomes of an operation whose answer is missing. Only
 * decides: no lock, no clock, no I/O.
 *
 * <p>An operation counts against the limits until its exchange ends, even if its deadline passed
 * before, because it holds memory until then.
 */
final class LaneQueue {

    /** Whether an operation may wait here. */
    enum Admission {
        /** There are too many. */
        REFUSED,
        /** An exchange is in flight, or being made: it leaves after that. */
        WAITS,
        /** Nothing is in flight: the caller has to {@link #takeNext}. */
        LEAVES
    }

    /** What becomes of an operation when its exchange ends. */
    enum Fate {
        /** It has its answer. */
        ANSWERED,
        /** It leaves again with the next exchange, before those that wait. */
        AGAIN,
        /** Its answer did not fit: it is asked again in the lane of large ones. */
        BULK,
        /** Its deadline had passed. */
        OVER
    }

    private final Lane lane;
    private final TransportOptions options;
    private final long maxBytes;
    private final Deque<PendingRequest> waiting = new ArrayDeque<>();
    private @Nullable PeerExchange inFlight;

    /** Whether an exchange is being made or in flight, whose end leads to the next one. */
    private boolean busy;

    private int operations;
    private long bytes;
    private long exchangesSent;
    private long operationsSent;

    LaneQueue(Lane lane, TransportOptions options) {
        this.lane = lane;
        this.options = options;
        this.maxBytes = lane.takesLarge() ? options.maxBulkBytes() : options.maxLaneBytes();
    }

    Admission add(PendingRequest request) {
        if (operations >= options.maxLaneOperations()
                || (operations > 0 && bytes + request.bytes > maxBytes)) {
            return Admission.REFUSED;
        }
        waiting.add(request);
        operations++;
        bytes += request.bytes;
        if (busy) {
            return Admission.WAITS;
        }
        busy = true;
        return Admission.LEAVES;
    }

    private void discount(PendingRequest request) {
        operations--;
        bytes -= request.bytes;
    }

    /** The next exchange, which is in flight from now on; null if nothing waits. */
    @Nullable PeerExchange takeNext() {
        List<PendingRequest> batch = new ArrayList<>();
        long batchBytes = 0;
        @Nullable PendingRequest head;
        while (batch.size() < options.maxBatchOperations() && (head = waiting.peek()) != null) {
            batchBytes += head.bytes;
            if (batchBytes > options.maxBatchBytes() && !batch.isEmpty()) {
                break;
            }
            batch.add(waiting.remove());
        }
        if (batch.isEmpty()) {
            busy = false;
            return null;
        }
        PeerExchange next = new PeerExchange(lane, batch, latestDeadline(batch));
        inFlight = next;
        exchangesSent++;
        operationsSent += batch.size();
        return next;
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

    /** The exchange in flight has ended. What leaves again waits before all others, in order. */
    void ended(PeerExchange exchange, List<@Nullable ReplicaAnswer> answers) {
        inFlight = null;
        for (int i = exchange.pending.size() - 1; i >= 0; i--) {
            PendingRequest request = exchange.pending.get(i);
            if (fate(exchange, request, answers.get(i)) == Fate.AGAIN) {
                waiting.addFirst(request);
            } else {
                discount(request);
            }
        }
    }

    /**
     * What becomes of an operation of an exchange that has ended.
     *
     * @param answer null if it did not fit, or if {@link PeerExchange#leavesAgain}
     */
    Fate fate(PeerExchange exchange, PendingRequest request, @Nullable ReplicaAnswer answer) {
        if (answer != null) {
            return Fate.ANSWERED;
        }
        if (request.isSettled()) {
            return Fate.OVER;
        }
        return lane.takesLarge() || exchange.leavesAgain() ? Fate.AGAIN : Fate.BULK;
    }

    /** Takes out what waits and is past its deadline. */
    List<PendingRequest> takeLate(long nowNanos) {
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<PendingRequest> late = new ArrayList<>();
        for (Iterator<PendingRequest> each = waiting.iterator(); each.hasNext(); ) {
            PendingRequest request = each.next();
            if (request.isPast(nowNanos)) {
                late.add(request);
                discount(request);
                each.remove();
            }
        }
        return late;
    }

    /**
     * Takes out what waits for a peer that is given up.
     *
     * @param exceptInsisting whether operations stay that are sent to a suspected peer all the same
     */
    List<PendingRequest> takeWaiting(boolean exceptInsisting) {
        List<PendingRequest> taken = new ArrayList<>(waiting);
        taken.removeIf(request -> exceptInsisting && request.insists);
        waiting.removeIf(request -> !(exceptInsisting && request.insists));
        taken.forEach(this::discount);
        return taken;
    }

    @Nullable PeerExchange inFlight() {
        return inFlight;
    }

    /** Those that wait or are in flight. */
    int operations() {
        return operations;
    }

    /** Of those. */
    long bytes() {
        return bytes;
    }

    /** Ever. */
    long exchangesSent() {
        return exchangesSent;
    }

    /** Ever, each time that one left. */
    long operationsSent() {
        return operationsSent;
    }
}
