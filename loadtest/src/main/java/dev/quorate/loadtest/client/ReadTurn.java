package dev.quorate.loadtest.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/** Reads random keys on several threads, each with one read under way, for some seconds. */
final class ReadTurn {

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long LONGEST_NANOS = 60 * NANOS_PER_SECOND;
    private static final int DIGITS = 3;

    /** One read of a key by its number. */
    @FunctionalInterface
    interface Read {

        /**
         * Returns the length of the value.
         *
         * @throws IOException if there is none
         */
        int of(int key) throws IOException;
    }

    private final int threads;
    private final int keys;
    private final int valueBytes;
    private final LongSupplier nanos;

    ReadTurn(int threads, int keys, int valueBytes, LongSupplier nanos) {
        this.threads = threads;
        this.keys = keys;
        this.valueBytes = valueBytes;
        this.nanos = nanos;
    }

    /**
     * The latencies in nanoseconds.
     *
     * @throws IOException if one read fails
     */
    Histogram run(Read read, int seconds) throws IOException {
        long end = nanos.getAsLong() + seconds * NANOS_PER_SECOND;
        Histogram all = new Histogram(LONGEST_NANOS, DIGITS);
        List<Future<Histogram>> parts = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                int first = thread * (keys / threads);
                parts.add(executor.submit(() -> reads(read, first, end)));
            }
            for (Future<Histogram> part : parts) {
                all.add(part.get());
            }
            return all;
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private Histogram reads(Read read, int first, long end) throws IOException {
        Histogram latencies = new Histogram(LONGEST_NANOS, DIGITS);
        int key = first;
        for (long begun = nanos.getAsLong(); begun - end < 0; ) {
            key = (key + 1) % keys;
            int length = read.of(key);
            if (length != valueBytes) {
                throw new IOException("key " + key + " has " + length + " bytes");
            }
            long now = nanos.getAsLong();
            latencies.recordValue(Math.min(now - begun, LONGEST_NANOS));
            begun = now;
        }
        return latencies;
    }
}
