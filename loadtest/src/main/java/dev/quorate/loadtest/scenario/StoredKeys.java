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

/** Stores the keys of a cluster for its scenarios, and reads them back. */
final class StoredKeys {

    /** The limit of the first attempt to store or read all keys; each retry doubles it. */
    private static final int FIRST_FILL_SECONDS = 2;

    private static final int MAX_FILL_SECONDS = 256;

    /** Maximum number of attempts in which nodes refuse writes. */
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

    /** Stores all keys with values of a size, and reads them back, at {@code ack/from} replicas. */
    void fill(String replicas, int valueBytes) throws CommandException {
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
            throws CommandException {
        // Do not overload a cluster that has just started.
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
            throw new RefusedFigureException(operation + " of all keys: " + e.getMessage());
        }
        return result.everyKey();
    }

    /**
     * Whether the only errors are refused or unconfirmed writes, which may happen while nodes
     * start. The same values are then stored again.
     */
    private static boolean isOverrun(LoadResult result) {
        Set<Integer> statuses = result.answers().keySet();
        return result.socketErrors() == 0
                && statuses.stream().anyMatch(status -> status >= 503)
                && Set.of(201, 503, 504).containsAll(statuses);
    }
}
