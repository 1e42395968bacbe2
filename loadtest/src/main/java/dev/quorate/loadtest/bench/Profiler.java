package dev.quorate.loadtest.bench;

import dev.quorate.harness.CommandException;

/** Profiles the nodes while a case is measured. */
@FunctionalInterface
public interface Profiler {

    /** Profiles nothing. */
    Profiler NONE = (_, _) -> () -> {};

    /** What goes on from the start of a profile to its end. */
    @FunctionalInterface
    interface Recording extends AutoCloseable {

        /** Ends it and writes what was found. */
        @Override
        void close() throws CommandException;
    }

    /** Begins. */
    Recording start(String caseName, RunningCluster cluster) throws CommandException;
}
