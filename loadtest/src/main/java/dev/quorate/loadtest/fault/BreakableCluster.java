package dev.quorate.loadtest.fault;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.FaultKind;

/** A cluster of three nodes: the first takes the load, and the third can fail. */
public interface BreakableCluster extends AutoCloseable {

    /** Starts a cluster with empty data, whose third node can have a fault. */
    @FunctionalInterface
    interface Starter {
        BreakableCluster start(FaultKind kind) throws CommandException;
    }

    /** {@code http://host:port} of the first node. */
    String url();

    /** Injects the fault into the third node. */
    void fail() throws CommandException;

    /** Ends the fault, and returns when the third node is ready. */
    void recover() throws CommandException;

    /** Starts to sample the figures of the first node. */
    Watching watch();

    /** The figures of the first node now. */
    Peaks sample() throws CommandException;

    @Override
    void close();

    /** Periodic samples, until they are closed. */
    interface Watching extends AutoCloseable {

        /** The maximum of all samples so far. */
        Peaks peaks();

        @Override
        void close();
    }
}
