package dev.quorate.loadtest;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.load.RefusedFigureException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;

/**
 * How benchmarks begin and end: with one sentence and an exit status where they cannot begin, or
 * have no figures.
 */
final class BenchOutcome {

    /** Something has no figure. */
    static final int REFUSED = 1;

    /** The arguments make no sense, or something is not there. */
    static final int CANNOT_BEGIN = 2;

    /** A measurement; whether everything has a figure. */
    @FunctionalInterface
    interface Measurement {
        boolean measure() throws IOException, CommandException, RefusedFigureException;
    }

    private BenchOutcome() {}

    /** Measures, unless there is a complaint; the exit status. */
    static int of(PrintStream err, Optional<String> complaint, Measurement measurement) {
        if (complaint.isPresent()) {
            err.println("quorate bench: " + complaint.get());
            return CANNOT_BEGIN;
        }
        try {
            return measurement.measure() ? 0 : REFUSED;
        } catch (RefusedFigureException e) {
            err.println("quorate bench: no figures: " + e.sentence());
        } catch (CommandException | IOException e) {
            err.println("quorate bench: no figures: " + e.getMessage());
        }
        return REFUSED;
    }
}
