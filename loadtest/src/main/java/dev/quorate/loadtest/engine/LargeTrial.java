package dev.quorate.loadtest.engine;

import dev.quorate.loadtest.figures.Latencies;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Our engine in a small heap with many times as much data: loads, opens again, reads every key
 * back.
 */
final class LargeTrial {

    private static final int VALUE_BYTES = 100;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final double P99 = 0.99;
    private static final double P999 = 0.999;
    private static final int SAMPLES = 500_000;
    private static final int READS = 500_000;

    private final Path directory;
    private final int keys;
    private final Conditions conditions;
    private final TrialData data;
    private final LongSupplier nanoClock;
    private final Workers workers;
    private final Consumer<Figure> figures;

    LargeTrial(
            Path directory,
            int keys,
            Conditions conditions,
            LongSupplier nanoClock,
            Consumer<Figure> figures) {
        this.directory = directory;
        this.keys = keys;
        this.conditions = conditions;
        this.data = new TrialData(VALUE_BYTES, conditions.values());
        this.nanoClock = nanoClock;
        this.workers = new Workers(nanoClock);
        this.figures = figures;
    }

    /**
     * Runs it.
     *
     * @param arguments the directory, how many keys, the conditions
     */
    public static void main(String[] arguments) {
        new LargeTrial(
                        Path.of(arguments[0]),
                        Integer.parseInt(arguments[1]),
                        Conditions.ofLast(arguments),
                        System::nanoTime,
                        figure -> System.out.println(figure.toLine()))
                .run();
    }

    private void report(String name, double value, String unit) {
        figures.accept(new Figure("large: " + name, value, unit));
    }

    void run() {
        load();
        long began = nanoClock.getAsLong();
        try (Engine engine = open()) {
            report("time to open", (nanoClock.getAsLong() - began) / NANOS_PER_MILLI, "ms");
            read(engine);
        }
        report("bytes on disk", Folder.bytes(directory) / BYTES_PER_MIB, "MiB");
        ProcessMemory.peakMebibytes().ifPresent(peak -> report("peak RSS", peak, "MiB"));
        ProcessMemory.anonymousMebibytes()
                .ifPresent(now -> report("RSS without files, at the end", now, "MiB"));
    }

    private QuorateEngine open() {
        return new QuorateEngine(directory, true, conditions.compression());
    }

    /** Durable, as a node is, with many writes under way. */
    private void load() {
        Latencies latencies = new Latencies();
        int every = Math.max(1, keys / SAMPLES);
        try (QuorateEngine engine = open()) {
            long began = nanoClock.getAsLong();
            Engine.Session session = engine.session();
            for (int number = 0; number < keys; number++) {
                byte[] key = TrialData.key(number);
                byte[] value = data.value(number);
                if (number % every == 0) {
                    engine.writeTimed(key, value, nanoClock, latencies);
                } else {
                    session.stream(key, value);
                }
            }
            session.drain();
            double seconds = (nanoClock.getAsLong() - began) / NANOS_PER_SECOND;
            report("durable put, 1024 under way", keys / seconds, "/s");
            engine.flush();
            Folder.awaitQuiet(directory, nanoClock);
            engine.writeAmplification()
                    .ifPresent(times -> report("write amplification", times, "x"));
        }
        report("put p99", latencies.millis(P99), "ms");
        report("put p99.9", latencies.millis(P999), "ms");
        report("put max", latencies.maxMillis(), "ms");
    }

    private void read(Engine engine) {
        double seconds =
                workers.seconds(
                        engine,
                        2,
                        (session, thread) ->
                                () -> {
                                    for (int number = thread; number < keys; number += 2) {
                                        require(session.head(TrialData.key(number)) == number);
                                    }
                                    return keys;
                                });
        report("every key read back, 2 threads", keys / seconds, "/s");
        report("get p99, 2 threads", worstPercentile(engine), "ms");
    }

    private double worstPercentile(Engine engine) {
        Latencies[] latencies = {new Latencies(), new Latencies()};
        workers.seconds(
                engine,
                latencies.length,
                (session, thread) ->
                        () -> {
                            SplittableRandom random = new SplittableRandom(thread);
                            for (int i = 0; i < READS; i++) {
                                int number = random.nextInt(keys);
                                byte[] key = TrialData.key(number);
                                long before = nanoClock.getAsLong();
                                long head = session.head(key);
                                latencies[thread].add(nanoClock.getAsLong() - before);
                                require(head == number);
                            }
                            return READS;
                        });
        return Math.max(latencies[0].millis(P99), latencies[1].millis(P99));
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new IllegalStateException("the engine gave a wrong answer");
        }
    }
}
