package dev.quorate.testkit.check;

import dev.quorate.testkit.history.Promise;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is to be checked, and how.
 *
 * @param duration how long clients work
 * @param faults what is done meanwhile
 * @param clients how many there are
 * @param rate how many requests they send in a second, all together
 * @param keys how many keys a window of time has
 * @param from how many replicas a key has
 * @param promise what the history is held against
 * @param seed of all that is drawn
 * @param history where all operations are written to, if anywhere
 * @param jepsen the same in Jepsen's form
 * @param story whether to print what was done to the nodes in any case
 * @param readyLimit how long nodes may take to be ready, and keys to be read in the end
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

    /** More do not fit into the heap that the launcher gives, 1 GiB; each takes about 330 bytes. */
    static final long MAX_OPERATIONS = 1_500_000;

    CheckOptions {
        faults = Set.copyOf(faults);
    }

    /** The most operations that there can be while faults strike. */
    static double operations(Duration duration, int rate) {
        return duration.toMillis() / 1_000.0 * rate;
    }
}
