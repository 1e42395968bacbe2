package dev.quorate.testkit.check;

import dev.quorate.testkit.history.Promise;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of a check.
 *
 * @param duration how long clients work
 * @param faults the faults to inject
 * @param clients the number of clients
 * @param rate the limit of requests per second of all clients
 * @param keys the number of keys of a window of time
 * @param from the number of replicas of a key
 * @param promise the promise that the history is checked against
 * @param seed the seed of requests and faults
 * @param history the file for all operations, if any
 * @param jepsen the same in Jepsen's form
 * @param story whether to print the injected faults even if the promise held
 * @param readyLimit the limit for nodes to become ready, and for the final reads
 */
record CheckOptions(
        Duration duration,
        Set<FaultKind> faults,
        int clients,
        int rate,
        int keys,
        int from,
        Promise promise,
        long seed,
        @Nullable Path history,
        @Nullable Path jepsen,
        boolean story,
        Duration readyLimit) {

    CheckOptions {
        faults = Set.copyOf(faults);
    }
}
