package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
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
 * The correct behavior of simulated nodes and clients where a cluster could have a bug. Tests
 * override one method at a time to show that simulation and checker detect the bug.
 */
class Behavior {

    static final Behavior CORRECT = new Behavior();

    /** A machine was created; no node runs on it yet. */
    void created(SimulatedNode node) {}

    /** Whether a write is on the disk before it is acknowledged. */
    Durability durability() {
        return Durability.FSYNC;
    }

    /** Whether a node with an empty or incomplete directory votes. */
    boolean trustsEmptyDisk(SimulatedNode node) {
        return false;
    }

    /** The clock by which a node's store drops expired values. */
    LongSupplier expiryClock(SimulatedNode node, LongSupplier agreed) {
        return agreed;
    }

    /** The store of a node. */
    KeyValueStore store(SimulatedNode node, KeyValueStore store) {
        return store;
    }

    /** A node has started to serve. */
    void serving(SimulatedNode node, NodeCore core) {}

    /** The disk that a process leaves. */
    FaultyDisk afterEnd(SimulatedNode node, FaultyDisk left) {
        return left;
    }

    /** Whether the writes of a linearizable workload are linearizable. */
    boolean asksFirst() {
        return true;
    }

    /** The quorum that a read uses. */
    QuorumSpec read(QuorumSpec spec) {
        return spec;
    }

    /** Derives the answer of a read from its outcome; called before the read starts. */
    UnaryOperator<Outcome> readAnswer(NodeCore core, byte[] key) {
        return outcome -> outcome;
    }

    /** The version that identifies the retry of an undecided conditional write. */
    @Nullable Timestamp retryOf(Timestamp first) {
        return first;
    }

    /**
     * The outcome of a plain write that the client sees.
     *
     * @param write the entry of the write with a timestamp
     */
    Outcome written(
            NodeCore core,
            List<SimulatedNode> nodes,
            Outcome outcome,
            Function<Timestamp, Entry> write) {
        return outcome;
    }
}
