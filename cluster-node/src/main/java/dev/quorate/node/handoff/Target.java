package dev.quorate.node.handoff;

import dev.quorate.router.replica.Replica;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * A replica that hints may be stored for.
 *
 * @param replica the replica to send them to
 * @param isUp whether to send hints now
 * @param name the name of its member
 * @param pendingBytes estimated bytes of its hints, corrected by surveys
 * @param added bytes ever added, by which a survey accounts for hints added meanwhile
 * @param stored writes sent to it that it has stored
 * @param failed writes sent to it that it has not stored
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

    /** Counts a hint; false, without counting it, if the limit is reached. */
    boolean add(long bytes, long mostBytes) {
        long total = pendingBytes.addAndGet(bytes);
        if (total > mostBytes) {
            pendingBytes.addAndGet(-bytes);
            return false;
        }
        added.addAndGet(bytes);
        return true;
    }

    /** Sets an estimate of hints from before a restart, at most the limit. */
    void found(long bytes, long mostBytes) {
        pendingBytes.updateAndGet(
                pending -> Math.max(pending, Math.min(pending + bytes, mostBytes)));
    }

    void remove(long bytes) {
        pendingBytes.updateAndGet(pending -> Math.max(0, pending - bytes));
    }

    /** Corrects the estimate to the bytes that a survey counted plus those added since it began. */
    void counted(long bytes, long addedBefore) {
        long since = added.get() - addedBefore;
        pendingBytes.set(bytes + since);
    }

    boolean hasHints() {
        return pendingBytes.get() > 0;
    }
}
