package dev.quorate.loadtest.wrk;

import dev.quorate.loadtest.process.CommandException;

/** Sends requests as fast as the answers come, and measures. */
@FunctionalInterface
public interface LoadGenerator {

    /**
     * Runs a load to its end.
     *
     * @throws CommandException if nothing was measured
     */
    WrkResult run(Load load) throws CommandException;
}
