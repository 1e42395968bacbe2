package dev.quorate.loadtest.fault;

import dev.quorate.harness.CommandException;

/** Three nodes: the first takes the load, and the third can fail. */
public interface BreakableCluster extends AutoCloseable {

    /** Starts one with empty data, whose third node can fail so. */
    @FunctionalInterface
    interface Starter {
        BreakableCluster start(FaultKind kind) throws CommandException;
    }

    /** {@code http://host:port} of the first node. */
    String url();

    /** The third node fails. */
    void fail() throws CommandException;

    /** The third node is well again, and ready. */
    void recover() throws CommandException;

    /** Begins to look at the first node, now and then. */
    Watching watch();

    /** How the first node is now. */
    Peaks look() throws CommandException;

    @Override
    void close();

    /** A look now and then, to its end. */
    interface Watching extends AutoCloseable {

        /** The most that was seen so far. */
        Peaks peaks();

        @Override
        void close();
    }
}
