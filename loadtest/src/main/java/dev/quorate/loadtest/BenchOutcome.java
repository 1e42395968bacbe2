package dev.quorate.loadtest;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.RefusedFigureException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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

    static int cannotBegin(PrintStream err, String sentence) {
        err.println("quorate bench: " + sentence);
        return CANNOT_BEGIN;
    }

    /** Measures, unless there is a complaint; the exit status. */
    static int of(PrintStream err, Optional<String> complaint, Measurement measurement) {
        return of(err, complaint, null, measurement);
    }

    /**
     * The same for a measurement that writes its figures to a file, too.
     *
     * @param json the file; null if none was asked for
     */
    static int of(
            PrintStream err,
            Optional<String> complaint,
            @Nullable Path json,
            Measurement measurement) {
        if (complaint.isPresent()) {
            return cannotBegin(err, complaint.get());
        }
        try {
            if (json != null) {
                // No figures of an earlier run are to be taken for those of one that failed.
                Files.deleteIfExists(json);
            }
            return measurement.measure() ? 0 : REFUSED;
        } catch (RefusedFigureException e) {
            err.println("quorate bench: no figures: " + e.sentence());
        } catch (CommandException | IOException e) {
            err.println("quorate bench: no figures: " + e.getMessage());
        }
        return REFUSED;
    }
}
