package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.router.coordinator.Operations;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The correct behavior at the points where a cluster could have a bug. Tests override one method at
 * a time to show that the simulation and the checker detect the bug.
 */
class Behavior {

    static final Behavior CORRECT = new Behavior();

    /** Called for a new machine, before a node runs on it. */
    void created(SimulatedNode node) {}

    /** Whether a write is on the disk before it is acknowledged. */
    Durability durability() {
        return Durability.FSYNC;
    }

    /** Whether a node with an empty or incomplete data directory votes. */
    boolean trustsEmptyDisk(SimulatedNode node) {
        return false;
    }

    /** The clock by which a node's store drops expired values. */
    LongSupplier expiryClock(SimulatedNode node, LongSupplier agreed) {
        return agreed;
    }

    KeyValueStore store(SimulatedNode node, KeyValueStore store) {
        return store;
    }

    void serving(SimulatedNode node, NodeCore core) {}

    /** The disk after the end of a process. */
    FaultyDisk afterEnd(SimulatedNode node, FaultyDisk left) {
        return left;
    }

    /** Whether the writes of a linearizable workload are linearizable. */
    boolean asksFirst() {
        return true;
    }

    QuorumSpec read(QuorumSpec spec) {
        return spec;
    }

    /** Maps the outcome of a read to its answer. Called before the read starts. */
    UnaryOperator<Outcome> readAnswer(NodeCore core, byte[] key) {
        return outcome -> outcome;
    }

    /** The operations of a node that change when values expire. */
    Operations renewing(Operations node) {
        return node;
    }

    /** The version that identifies the retry of an undecided conditional write. */
    @Nullable Timestamp retryOf(Timestamp first) {
        return first;
    }

    /**
     * The outcome of an unconditional write as the client sees it.
     *
     * @param write returns the entry that the write stores at a timestamp
     */
    Outcome written(
            NodeCore core,
            List<SimulatedNode> nodes,
            Outcome outcome,
            Function<Timestamp, Entry> write) {
        return outcome;
    }
}
