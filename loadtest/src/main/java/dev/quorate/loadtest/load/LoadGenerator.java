package dev.quorate.loadtest.load;

import dev.quorate.cli.process.CommandException;

/** Sends a load and measures the answers. */
@FunctionalInterface
public interface LoadGenerator {

    /**
     * Runs a load to its end.
     *
     * @throws CommandException if nothing was measured
     */
    LoadResult run(Load load) throws CommandException;
}
