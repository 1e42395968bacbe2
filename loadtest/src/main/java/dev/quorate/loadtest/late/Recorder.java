package dev.quorate.loadtest.late;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.NodeProcess;
import java.time.Duration;
import java.util.List;

/** Records what happens in nodes. */
@FunctionalInterface
public interface Recorder {

    /** What goes on from the start to the end. */
    @FunctionalInterface
    interface Recording {

        /**
         * Ends it, once.
         *
         * @param shortest of fsyncs, and of compilations that follow each other, that count
         */
        List<Happening> stop(Duration shortest) throws CommandException;
    }

    /** Begins. */
    Recording start(List<NodeProcess> nodes) throws CommandException;
}
