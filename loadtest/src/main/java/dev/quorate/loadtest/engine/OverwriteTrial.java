package dev.quorate.loadtest.engine;

import dev.quorate.loadtest.figures.Latencies;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StoreStatistics;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Our engine while random keys are overwritten for long: as fast as it can, then at a part of that,
 * as a clock says and not as the engine lets them come. Each put's time counts from when it was
 * due, so that a pause of the engine is in the figures of all that it made late.
 */
final class OverwriteTrial {

    /** The part of its highest rate at which an engine should be calm. */
    private static final double SHARE = 0.7;

    private static final int VALUE_BYTES = 100;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    private static final int BLOCK = 64;

    private final Path directory;
    private final int keys;
    private final int runMillis;
    private final Conditions conditions;
    private final TrialData data;
    private final LongSupplier nanoClock;
    private final Consumer<Figure> figures;
    private final SplittableRandom random = new SplittableRandom(1);

    /**
     * @param runMillis how long puts come at the fixed rate; the highest rate is found in half of
     *     it
     */
    OverwriteTrial(
            Path directory,
            int keys,
            int runMillis,
            Conditions conditions,
            LongSupplier nanoClock,
            Consumer<Figure> figures) {
        this.directory = directory;
        this.keys = keys;
        this.runMillis = runMillis;
        this.conditions = conditions;
        this.data = new TrialData(VALUE_BYTES, conditions.values());
        this.nanoClock = nanoClock;
        this.figures = figures;
    }

    /**
     * Runs it.
     *
     * @param arguments the directory, how many keys, for how many milliseconds, the conditions
     */
    public static void main(String[] arguments) {
        new OverwriteTrial(
                        Path.of(arguments[0]),
                        Integer.parseInt(arguments[1]),
                        Integer.parseInt(arguments[2]),
                        Conditions.ofLast(arguments),
                        System::nanoTime,
                        figure -> System.out.println(figure.toLine()))
                .run();
    }

    private void report(String name, double value, String unit) {
        figures.accept(new Figure("overwrite: " + name, value, unit));
    }

    void run() {
        try (QuorateEngine engine = new QuorateEngine(directory, true, conditions.compression())) {
            load(engine);
            settle(engine);
            report("tables over live data, before", overLive(engine.statistics()), "x");
            double most = highestRate(engine);
            report("durable put, 1024 under way", most, "/s");
            settle(engine);
            StoreStatistics before = engine.statistics();
            steadily(engine, most * SHARE);
            settle(engine);
            StoreStatistics after = engine.statistics();
            report("write amplification", amplification(before, after), "x");
            report("tables over live data, after", overLive(after), "x");
        }
        report("bytes on disk", Folder.bytes(directory) / BYTES_PER_MIB, "MiB");
        ProcessMemory.peakMebibytes().ifPresent(peak -> report("peak RSS", peak, "MiB"));
        ProcessMemory.anonymousMebibytes()
                .ifPresent(now -> report("RSS without files, at the end", now, "MiB"));
    }

    private void load(QuorateEngine engine) {
        Engine.Session session = engine.session();
        for (int number = 0; number < keys; number++) {
            session.stream(TrialData.key(number), data.value(number));
        }
        session.drain();
    }

    private void settle(QuorateEngine engine) {
        engine.flush();
        Folder.awaitQuiet(directory, nanoClock);
    }

    /** Bytes of tables for each byte of the keys and values that count. */
    private double overLive(StoreStatistics statistics) {
        return (double) statistics.tableBytes()
                / ((long) keys * (TrialData.KEY_BYTES + VALUE_BYTES));
    }

    /** Bytes written to disk for each byte of key and value, between two readings. */
    private static double amplification(StoreStatistics before, StoreStatistics after) {
        long written =
                after.logBytesWritten()
                        - before.logBytesWritten()
                        + after.flushBytesWritten()
                        - before.flushBytesWritten()
                        + after.compactionBytesWritten()
                        - before.compactionBytesWritten();
        return (double) written / (after.userBytes() - before.userBytes());
    }

    /** Puts a second, in the second half of the time: by then compaction has its share to do. */
    private double highestRate(QuorateEngine engine) {
        Engine.Session session = engine.session();
        long half = TimeUnit.MILLISECONDS.toNanos(runMillis) / 4;
        streamUntil(session, nanoClock.getAsLong() + half);
        long began = nanoClock.getAsLong();
        long puts = streamUntil(session, began + half);
        session.drain();
        return puts * NANOS_PER_SECOND / (nanoClock.getAsLong() - began);
    }

    private long streamUntil(Engine.Session session, long end) {
        long puts = 0;
        do {
            for (int i = 0; i < BLOCK; i++) {
                int number = random.nextInt(keys);
                session.stream(TrialData.key(number), data.value(number));
            }
            puts += BLOCK;
        } while (nanoClock.getAsLong() < end);
        return puts;
    }

    private void steadily(QuorateEngine engine, double rate) {
        Completions completions = new Completions();
        long heldBefore = engine.statistics().delayNanos();
        int mostLevel0Tables = 0;
        long begin = nanoClock.getAsLong();
        long end = begin + TimeUnit.MILLISECONDS.toNanos(runMillis);
        long sent = 0;
        long now = begin;
        while (now < end) {
            long due = 1 + (long) ((now - begin) * rate / NANOS_PER_SECOND);
            while (sent < due) {
                long since = begin + (long) (sent * NANOS_PER_SECOND / rate);
                int number = random.nextInt(keys);
                engine.write(TrialData.key(number), data.value(number), completions.since(since));
                sent++;
            }
            mostLevel0Tables = Math.max(mostLevel0Tables, engine.statistics().level0Tables());
            LockSupport.parkNanos(PAUSE_NANOS);
            now = nanoClock.getAsLong();
        }
        report("durable put at 70 %", sent * NANOS_PER_SECOND / (now - begin), "/s");
        completions.await(sent);
        long held = engine.statistics().delayNanos() - heldBefore;
        report("writes held back, of the time", (double) held / (now - begin), "");
        report("put p50", completions.latencies.millis(0.5), "ms");
        report("put p99", completions.latencies.millis(0.99), "ms");
        report("put p99.9", completions.latencies.millis(0.999), "ms");
        report("put max", completions.latencies.maxMillis(), "ms");
        report("puts refused", (double) completions.refused.get(), "");
        report("most tables of level 0", mostLevel0Tables, "");
    }

    /** What became of the puts that were sent. */
    private final class Completions {

        /** Used by the store's threads, one at a time. */
        final Latencies latencies = new Latencies();

        final AtomicLong refused = new AtomicLong();
        private final AtomicLong count = new AtomicLong();

        WriteCompletion since(long due) {
            return new WriteCompletion() {
                @Override
                public void stored(Timestamp newest) {
                    latencies.add(nanoClock.getAsLong() - due);
                    count.incrementAndGet();
                }

                @Override
                public void failed(StorageException cause) {
                    // Such as an exceeded limit of waiting writes; the sender reports it.
                    refused.incrementAndGet();
                    count.incrementAndGet();
                }
            };
        }

        void await(long sent) {
            while (count.get() < sent) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
