package dev.quorate.router.transport;

import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.topology.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one lane to one peer: the waiting ones, and one exchange in flight. Decides
 * which are admitted, which are sent together, and what happens to an operation without an answer.
 * Pure: no lock, no clock, no I/O.
 *
 * <p>An operation in flight counts against the limits until its exchange ends, even past its
 * deadline, because it occupies memory until then.
 */
final class LaneQueue {

    /** Whether an operation may wait here. */
    enum Admission {
        REFUSED,
        /** An exchange is in flight, or being prepared: the operation is sent after it. */
        WAITS,
        /** Nothing is in flight: the caller must {@link #nextBatch}. */
        LEAVES,
        /** Nothing is in flight, but the operation waits for one that is needed. */
        LINGERS
    }

    /** What happens to an operation when its exchange ends. */
    enum Fate {
        ANSWERED,
        /** It is resent with the next exchange, before the waiting ones. */
        AGAIN,
        /** Its answer did not fit: it is resent in the bulk lane. */
        BULK,
        /** Its deadline had passed. */
        OVER
    }

    private static final int FEW_READS = 4;
    private static final int FEW_WRITES = 8;

    private final Lane lane;
    private final TransportOptions options;
    private final long maxBytes;
    private final Deque<PendingRequest> waiting = new ArrayDeque<>();

    /** Whether an exchange is being prepared or in flight; its end starts the next one. */
    private boolean busy;

    /** Whether operations that are not needed are sent with the next exchange nevertheless. */
    private boolean sendsAll;

    /** Whether {@link #sendAll} will be called. */
    private boolean isTimed;

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
        if (!mayLeave()) {
            return Admission.LINGERS;
        }
        busy = true;
        return Admission.LEAVES;
    }

    /**
     * Lets no operation linger any more, because their time is over.
     *
     * @return whether the caller must {@link #nextBatch}
     */
    boolean sendAll() {
        isTimed = false;
        sendsAll = !waiting.isEmpty();
        if (busy || !sendsAll) {
            return false;
        }
        busy = true;
        return true;
    }

    /**
     * Whether an exchange leaves soon, and few operations wait for it. More would have to wait for
     * a long exchange, while another peer is idle.
     */
    boolean isJoinable() {
        return busy && waiting.size() < (lane == Lane.READ ? FEW_READS : FEW_WRITES);
    }

    /** Whether operations linger and no timer runs for them: the caller must start it. */
    boolean startsTimer() {
        boolean starts = !busy && !waiting.isEmpty() && !isTimed;
        isTimed |= starts;
        return starts;
    }

    /** Whether an exchange would carry more than few operations, or one that is needed. */
    private boolean mayLeave() {
        if (sendsAll || lane.takesLarge() || waiting.size() >= FEW_WRITES) {
            return true;
        }
        for (PendingRequest request : waiting) {
            if (request.isNeeded) {
                return true;
            }
        }
        return false;
    }

    private void discount(PendingRequest request) {
        operations--;
        bytes -= request.bytes;
    }

    /**
     * The operations of the next exchange, in flight from now on; null if nothing waits.
     *
     * @param stale receives operations that were planned in another topology, which do not wait any
     *     more
     */
    @Nullable List<PendingRequest> nextBatch(Topology topology, List<PendingRequest> stale) {
        List<PendingRequest> batch = new ArrayList<>();
        long batchBytes = 0;
        boolean leaves = mayLeave();
        sendsAll = false;
        @Nullable PendingRequest head;
        while (leaves
                && batch.size() < options.maxBatchOperations()
                && (head = waiting.peek()) != null) {
            if (!head.mayBeSentIn(topology)) {
                stale.add(waiting.remove());
                discount(head);
                continue;
            }
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
        exchangesSent++;
        operationsSent += batch.size();
        return batch;
    }

    static long latestDeadline(List<PendingRequest> batch) {
        long latest = batch.getFirst().deadlineNanos;
        for (PendingRequest request : batch) {
            if (request.deadlineNanos - latest > 0) {
                latest = request.deadlineNanos;
            }
        }
        return latest;
    }

    /**
     * Ends the exchange in flight. Operations to be resent are queued before all others, in order.
     *
     * @param isUndone see {@link #fate}
     */
    void ended(
            List<PendingRequest> batch, List<@Nullable ReplicaAnswer> answers, boolean isUndone) {
        for (int i = batch.size() - 1; i >= 0; i--) {
            PendingRequest request = batch.get(i);
            if (fate(request, answers.get(i), isUndone) == Fate.AGAIN) {
                waiting.addFirst(request);
            } else {
                discount(request);
            }
        }
    }

    /**
     * Decides what happens to an operation of an exchange that has ended.
     *
     * @param answer null if it did not fit, or if the exchange is undone
     * @param isUndone whether the peer has executed nothing of the exchange
     */
    Fate fate(PendingRequest request, @Nullable ReplicaAnswer answer, boolean isUndone) {
        if (answer != null) {
            return Fate.ANSWERED;
        }
        if (request.isComplete()) {
            return Fate.OVER;
        }
        return lane.takesLarge() || isUndone ? Fate.AGAIN : Fate.BULK;
    }

    /** Removes waiting operations whose deadline has passed. */
    List<PendingRequest> removeExpired(long nowNanos) {
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
     * Removes waiting operations of a peer that is considered down.
     *
     * @param exceptInsisting whether to keep operations that are sent even to a suspected peer
     */
    List<PendingRequest> removeWaiting(boolean exceptInsisting) {
        List<PendingRequest> taken = new ArrayList<>(waiting);
        taken.removeIf(request -> exceptInsisting && request.insists);
        waiting.removeIf(request -> !(exceptInsisting && request.insists));
        taken.forEach(this::discount);
        return taken;
    }

    /** Number of operations waiting or in flight. */
    int operations() {
        return operations;
    }

    /** Bytes of the operations waiting or in flight. */
    long bytes() {
        return bytes;
    }

    /** Number of exchanges sent since the start. */
    long exchangesSent() {
        return exchangesSent;
    }

    /** Number of operations sent since the start, including resends. */
    long operationsSent() {
        return operationsSent;
    }
}
