package dev.quorate.node.antientropy;

import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.storage.Damage;
import dev.quorate.storage.KeyValueStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Heals damaged records of conditional writes: copies those of all other members, and lets the
 * store replace the table. Until then this member does not vote on keys with unreadable records.
 *
 * <p>It begins some time after the damage was found, when no proposal is in progress that belongs
 * to a lost promise.
 */
public final class RecordHealing implements AutoCloseable {

    private static final Duration CHECK_EVERY = Duration.ofSeconds(10);

    private final KeyValueStore records;
    private final BulkCopy copy;
    private final Supplier<List<Replica>> others;
    private final LocalReplica local;
    private final AtomicBoolean copying = new AtomicBoolean();
    private Scheduler.Cancellable checking = () -> {};

    /** The damaged files at the last check. Used by checks only, which are serial. */
    private List<String> known = List.of();

    /**
     * @param records the keyspace of these records in this node's store
     * @param others all other members, asked in the repair lane
     * @param local this node
     */
    public RecordHealing(
            KeyValueStore records,
            BulkCopy copy,
            Supplier<List<Replica>> others,
            LocalReplica local) {
        this.records = records;
        this.copy = copy;
        this.others = others;
        this.local = local;
    }

    /** Starts to look for damage. */
    public synchronized void start(Scheduler scheduler) {
        checking = scheduler.every(CHECK_EVERY, this::check);
    }

    private void check() {
        List<Damage> found = records.damage();
        List<String> files = found.stream().map(Damage::file).toList();
        boolean isDue = !files.isEmpty() && files.equals(known);
        known = files;
        if (isDue && copying.compareAndSet(false, true)) {
            local.noteHealing(noted -> copyIf(noted, found));
        }
    }

    /** Copies only after the note: entries dropped already may supersede copied records. */
    private void copyIf(boolean isNoted, List<Damage> found) {
        if (!isNoted) {
            copying.set(false);
            return;
        }
        copy.begin(
                others.get(),
                false,
                copied -> {
                    if (copied) {
                        found.forEach(records::heal);
                    }
                    copying.set(false);
                });
    }

    @Override
    public synchronized void close() {
        checking.cancel();
        copy.close();
    }
}
