package dev.quorate.loadtest.scenario;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.RefusedFigureException;
import dev.quorate.loadtest.load.RunCheck;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The keys of one cluster: puts them before they are needed, and reads them back. */
final class StoredKeys {

    /** Filling a cluster, or reading it back, is tried with that many seconds first … */
    private static final int FIRST_FILL_SECONDS = 2;

    /** … and with twice as many until it is enough, or more than this. */
    private static final int MAX_FILL_SECONDS = 256;

    /** Number of times that writes may be refused while a cluster is filled. */
    private static final int MAX_OVERRUNS = 3;

    private static final int MAX_CONNECTIONS = 64;
    private static final int MIN_CONNECTIONS = 2;
    private static final int BYTES_UNDER_WAY = 1 << 20;

    private final LoadTarget target;
    private final LoadGenerator generator;
    private final Consumer<String> progress;
    private int overruns;

    StoredKeys(LoadTarget target, LoadGenerator generator, Consumer<String> progress) {
        this.target = target;
        this.generator = generator;
        this.progress = progress;
    }

    /**
     * Puts all keys with values of a size, and reads them back.
     *
     * @param replicas {@code ack/from} for both
     */
    void fill(String replicas, int valueBytes) throws RefusedFigureException, CommandException {
        for (Operation operation : List.of(Operation.PUT, Operation.GET)) {
            int seconds = FIRST_FILL_SECONDS;
            while (!reachesEveryKey(operation, replicas, valueBytes, seconds)) {
                seconds *= 2;
                if (seconds > MAX_FILL_SECONDS) {
                    throw new RefusedFigureException(
                            "%s of all keys: not all of %d were answered within %d seconds."
                                    .formatted(
                                            operation, target.keys(valueBytes), MAX_FILL_SECONDS));
                }
            }
        }
        progress.accept(
                "%d keys with values of %d bytes put and read back"
                        .formatted(target.keys(valueBytes), valueBytes));
    }

    private boolean reachesEveryKey(
            Operation operation, String replicas, int valueBytes, int seconds)
            throws RefusedFigureException, CommandException {
        // A cluster that has just started is not to be overrun.
        int connections =
                Math.clamp(
                        BYTES_UNDER_WAY / Math.max(1, valueBytes),
                        MIN_CONNECTIONS,
                        MAX_CONNECTIONS);
        Load load =
                Load.unbounded(
                        target.url(),
                        new Load.Requests(
                                operation,
                                replicas,
                                target.api(),
                                target.keys(valueBytes),
                                valueBytes,
                                0),
                        Load.Clients.of(connections),
                        Load.Manner.EVERY_KEY,
                        seconds);
        LoadResult result = generator.run(load);
        if (operation == Operation.PUT && isOverrun(result) && overruns < MAX_OVERRUNS) {
            overruns++;
            progress.accept(
                    "too busy to take all keys at once (%s); once more"
                            .formatted(RunCheck.describe(result.answers())));
            return false;
        }
        try {
            RunCheck.requireRight(load, result, Set.of());
        } catch (RefusedFigureException e) {
            throw new RefusedFigureException(operation + " of all keys: " + e.sentence());
        }
        return result.everyKey();
    }

    /**
     * Whether some writes were refused or not confirmed in time, and nothing worse: that can be
     * while nodes have just started, and the same values are put again, and read back.
     */
    private static boolean isOverrun(LoadResult result) {
        Set<Integer> statuses = result.answers().keySet();
        return result.socketErrors() == 0
                && statuses.stream().anyMatch(status -> status >= 503)
                && Set.of(201, 503, 504).containsAll(statuses);
    }
}
