package dev.quorate.loadtest.conditional;

import dev.quorate.loadtest.bench.RefusedFigureException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One client's connection to a store whose writes may depend on what they replace. */
interface StoreConnection extends AutoCloseable {

    /**
     * What a key has.
     *
     * @param version in the store's own form
     * @param value empty if there is none
     */
    record Held(String version, String value) {}

    /**
     * How a write ended.
     *
     * @param version what it made; null if its condition did not hold
     * @param requests that it took
     */
    record Written(@Nullable String version, long requests) {}

    /**
     * Reads a key.
     *
     * @throws RefusedFigureException if the answer is neither a value nor that there is none
     */
    Held read(String key) throws IOException, RefusedFigureException;

    /**
     * Writes, whatever the key has.
     *
     * @throws RefusedFigureException if the write is not acknowledged
     */
    Written put(String key, String value) throws IOException, RefusedFigureException;

    /**
     * Writes if the key has this version, or nothing if that was read. Sent until it is decided.
     *
     * @param version as it was read, or as an earlier write has made it
     * @throws RefusedFigureException if the answer says something else
     * @throws InterruptedException if interrupted before the next attempt
     */
    Written putIf(String key, String version, String value)
            throws IOException, RefusedFigureException, InterruptedException;

    @Override
    void close() throws IOException;
}
