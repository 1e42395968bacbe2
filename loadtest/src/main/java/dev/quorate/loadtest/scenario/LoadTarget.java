package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.load.Load;

/**
 * What a scenario is sent to.
 *
 * @param url {@code http://host:port} of the node that takes all requests
 * @param api how it wants to be asked
 * @param keys number of keys, unless their values were larger than 128 MiB together
 */
public record LoadTarget(String url, Load.Api api, int keys) {

    /** So that what is measured is not how fast a disk is read. */
    private static final long MAX_DATA_BYTES = 128L << 20;

    /** How many keys have values of that size. */
    int keys(int valueBytes) {
        return (int) Math.min(keys, MAX_DATA_BYTES / Math.max(1, valueBytes));
    }
}
