package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.load.Load;

/**
 * The target of scenarios.
 *
 * @param url {@code http://host:port} of the node that receives all requests
 * @param keys the number of keys; fewer if their values would exceed 128 MiB together
 */
public record LoadTarget(String url, Load.Api api, int keys) {

    /** Limits the data, so that the figures do not depend on the read speed of the disk. */
    private static final long MAX_DATA_BYTES = 128L << 20;

    /** The number of keys with values of a size. */
    int keys(int valueBytes) {
        return (int) Math.min(keys, MAX_DATA_BYTES / Math.max(1, valueBytes));
    }
}
