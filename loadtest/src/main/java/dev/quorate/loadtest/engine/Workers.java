package dev.quorate.loadtest.engine;

import static java.util.concurrent.CompletableFuture.supplyAsync;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntToDoubleFunction;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** Runs the same work in several threads, each with its own session. */
record Workers(LongSupplier nanoClock) {

    interface Work {

        /** Returns a step, which runs operations and returns their number. */
        LongSupplier begin(Engine.Session session, int thread);
    }

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Measures the operations per second of all threads for some time after a warm-up. */
    double rate(Engine engine, int threads, int warmUpMillis, int millis, Work work) {
        long start = nanoClock.getAsLong() + warmUpMillis * NANOS_PER_MILLI;
        long end = start + millis * NANOS_PER_MILLI;
        List<Double> rates =
                inThreads(
                        threads,
                        thread -> {
                            LongSupplier step = work.begin(engine.session(), thread);
                            while (nanoClock.getAsLong() < start) {
                                var _ = step.getAsLong();
                            }
                            long operations = 0;
                            long began = nanoClock.getAsLong();
                            long now;
                            // A long step (a scan) counts completely, with its whole time.
                            do {
                                operations += step.getAsLong();
                                now = nanoClock.getAsLong();
                            } while (now < end);
                            return operations * NANOS_PER_SECOND / Math.max(1, now - began);
                        });
        return rates.stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Runs one step in each thread and returns the time in seconds. */
    double seconds(Engine engine, int threads, Work work) {
        long began = nanoClock.getAsLong();
        inThreads(threads, thread -> (double) work.begin(engine.session(), thread).getAsLong());
        return (nanoClock.getAsLong() - began) / NANOS_PER_SECOND;
    }

    private static List<Double> inThreads(int threads, IntToDoubleFunction body) {
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<CompletableFuture<Double>> results =
                    IntStream.range(0, threads)
                            .mapToObj(i -> supplyAsync(() -> body.applyAsDouble(i), pool))
                            .toList();
            return results.stream().map(CompletableFuture::join).toList();
        }
    }
}
