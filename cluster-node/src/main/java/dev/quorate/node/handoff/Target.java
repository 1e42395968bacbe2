package dev.quorate.node.handoff;

import dev.quorate.node.replica.Replica;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * A replica that hints may be kept for.
 *
 * @param replica where they are sent
 * @param isUp whether it is worth sending any
 * @param name of its member
 * @param pendingBytes about what is kept for it. An estimate: counted up and down, and counted anew
 *     now and then
 * @param added bytes ever counted up, to tell what came during a count
 * @param stored writes sent to it that it has stored
 * @param failed writes sent to it that it has not
 */
record Target(
        Replica replica,
        BooleanSupplier isUp,
        String name,
        AtomicLong pendingBytes,
        AtomicLong added,
        LongAdder stored,
        LongAdder failed) {

    static Target of(Replica replica, BooleanSupplier isUp) {
        return new Target(
                replica,
                isUp,
                replica.member().name(),
                new AtomicLong(),
                new AtomicLong(),
                new LongAdder(),
                new LongAdder());
    }

    /** Counts a hint; false, and nothing is counted, if that is more than may be kept. */
    boolean add(long bytes, long mostBytes) {
        long total = pendingBytes.addAndGet(bytes);
        if (total > mostBytes) {
            pendingBytes.addAndGet(-bytes);
            return false;
        }
        added.addAndGet(bytes);
        return true;
    }

    /** So many bytes, about, were there before anything was counted; more than may be: as many. */
    void found(long bytes, long mostBytes) {
        pendingBytes.updateAndGet(
                pending -> Math.max(pending, Math.min(pending + bytes, mostBytes)));
    }

    void remove(long bytes) {
        pendingBytes.updateAndGet(pending -> Math.max(0, pending - bytes));
    }

    /** They have been counted: there were so many bytes, and those added since {@code added}. */
    void counted(long bytes, long addedBefore) {
        long since = added.get() - addedBefore;
        pendingBytes.set(bytes + since);
    }

    boolean hasHints() {
        return pendingBytes.get() > 0;
    }
}
