package dev.quorate.node;

import dev.quorate.node.antientropy.BulkCopy;
import dev.quorate.node.antientropy.RecordHealing;
import dev.quorate.node.antientropy.RecordSweep;
import dev.quorate.node.config.NodeOption;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.membership.Gain;
import dev.quorate.node.membership.TombstoneGc;
import dev.quorate.router.coordinator.Coordinator;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.storage.KeyValueStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Maintains a node's records of conditional writes: copies, heals and sweeps them. */
final class RecordUpkeep implements AutoCloseable {

    private static final Duration SWEEP_EVERY = Duration.ofMinutes(10);

    private final LocalReplica local;
    private final BulkCopy copy;
    private final RecordHealing healing;
    private final RecordSweep sweep;
    private final AtomicBoolean isSweeping = new AtomicBoolean();
    private Scheduler.Cancellable sweeping = () -> {};

    /**
     * @param peers all other members, asked in the repair lane
     */
    RecordUpkeep(
            NodeOptions options,
            KeyValueStore records,
            LocalReplica local,
            Coordinator coordinator,
            Supplier<List<Replica>> peers,
            NodeRuntime runtime) {
        this.local = local;
        int self = options.self().number();
        long bytesPerSecond = options.get(NodeOption.REBUILD_RATE);
        this.copy = BulkCopy.ofRecords(self, records, bytesPerSecond, runtime);
        this.healing =
                new RecordHealing(
                        records,
                        BulkCopy.ofRecords(self, records, bytesPerSecond, runtime),
                        peers,
                        local);
        this.sweep = new RecordSweep(records, local::note, coordinator::decide, runtime);
    }

    /**
     * Notes the healing, copies the records of others, then sweeps. An old copy of a directory may
     * contain records whose values were superseded by entries that all others have since dropped. A
     * member that gains keys has no such records of them.
     */
    Gain.Records copied() {
        return (from, gainsOnly, whenDone) -> {
            if (gainsOnly) {
                copy.begin(from, true, whenDone);
                return;
            }
            local.noteHealing(
                    isNoted -> {
                        if (isNoted) {
                            copy.begin(from, false, isCopied -> note(isCopied, whenDone));
                        } else {
                            whenDone.accept(false);
                        }
                    });
        };
    }

    private void note(boolean isCopied, Consumer<Boolean> whenDone) {
        if (isCopied) {
            sweep.begin(whenDone);
        } else {
            whenDone.accept(false);
        }
    }

    TombstoneGc.Notes notes() {
        return sweep;
    }

    /** Starts; requests may be sent to peers from now on. */
    synchronized void start(Scheduler scheduler) {
        healing.start(scheduler);
        sweeping = scheduler.every(SWEEP_EVERY, this::sweepAgain);
    }

    /** Sweeps unless the last sweep is still in progress. */
    private void sweepAgain() {
        if (isSweeping.compareAndSet(false, true)) {
            sweep.begin(isNoted -> isSweeping.set(false));
        }
    }

    @Override
    public synchronized void close() {
        sweeping.cancel();
        sweep.close();
        healing.close();
        copy.close();
    }
}
