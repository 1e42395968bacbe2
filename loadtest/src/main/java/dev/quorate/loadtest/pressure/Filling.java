package dev.quorate.loadtest.pressure;

import java.io.IOException;
import java.time.Duration;

/** The keys that have to be there before anything is measured. */
final class Filling {

    private static final String ALL = "3/3";
    private static final int CREATED = 201;

    /** A cold cluster may confirm some writes too late: then all are put again. */
    private static final int ROUNDS = 3;

    private Filling() {}

    /**
     * Puts all of them on all nodes, with values of one size.
     *
     * @param limit for each round
     * @throws IOException if not every one was confirmed: a GET of an absent key is an answer too,
     *     and there would be figures of it
     */
    static void fill(OpenLoop load, int keys, int valueBytes, long seed, Duration limit)
            throws IOException {
        Phase phase = new Phase();
        for (int round = 0; round < ROUNDS; round++) {
            phase = load.run(Requests.fill(ALL, valueBytes, seed), 0, limit, keys);
            if (phase.count(CREATED) == keys) {
                return;
            }
        }
        throw new IOException(
                ("%d keys were to be put, and in the last of %d attempts %d were: %s by status,"
                                + " %d without an answer.")
                        .formatted(
                                keys,
                                ROUNDS,
                                phase.count(CREATED),
                                phase.statuses(),
                                phase.lost()));
    }
}
