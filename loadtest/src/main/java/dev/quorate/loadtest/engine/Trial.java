package dev.quorate.loadtest.engine;

import static java.util.concurrent.CompletableFuture.supplyAsync;

import dev.quorate.storage.Compression;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntToDoubleFunction;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Measures one engine once, starting with an empty folder, in its own Java process: so an engine
 * does not affect the heap, compiled code or peak memory of the other. Each operation is warmed up
 * separately.
 */
final class Trial {

    private static final String WRITE_AMPLIFICATION = "write amplification";

    static final List<String> FIGURES =
            List.of(
                    "put, no fsync, 1 thread",
                    "put, no fsync, 2 threads",
                    WRITE_AMPLIFICATION,
                    "put, no fsync, each awaited, 1 thread",
                    "durable put, 1 writer",
                    "durable put, 2 writers",
                    "durable put, 64 writers",
                    "get hit, 1 thread",
                    "get hit, 2 threads",
                    "get miss, 1 thread",
                    "get miss, 2 threads",
                    "scan, 1 thread",
                    "scan, 2 threads",
                    "mixed 50/50, 1 thread",
                    "mixed 50/50, 2 threads",
                    "time to open",
                    "bytes on disk",
                    "RSS without files, at the end");

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double BYTES_PER_MIB = 1 << 20;

    /** Minimum warm-up of loading: a few thousand puts end before their code is compiled. */
    private static final double LOAD_WARM_UP_NANOS = 1.5e9;

    private static final int BLOCK = 64;
    private static final int OPENINGS = 3;
    private static final String PER_SECOND = "/s";

    private final TrialPlan plan;
    private final TrialData data;
    private final LongSupplier nanoClock;
    private final Consumer<Figure> figures;

    /** Greater than the numbers of all written keys. */
    private final AtomicLong nextKey;

    Trial(TrialPlan plan, LongSupplier nanoClock, Consumer<Figure> figures) {
        this.plan = plan;
        this.data = new TrialData(plan.valueBytes());
        this.nanoClock = nanoClock;
        this.figures = figures;
        this.nextKey = new AtomicLong(2L * plan.keys());
    }

    public static void main(String[] arguments) {
        TrialPlan plan = TrialPlan.ofArguments(arguments);
        new Trial(plan, System::nanoTime, figure -> System.out.println(figure.toLine())).run();
    }

    void run() {
        Path store = load();
        if (wants("time to open")) {
            measureOpening(store);
        }
        report("bytes on disk", Folder.bytes(store) / BYTES_PER_MIB, "MiB");
        try (Engine engine = open(store, false)) {
            readEverything(engine);
            for (int threads = 1; threads <= 2; threads++) {
                measureReads(engine, threads);
            }
            for (int threads = 1; threads <= 2; threads++) {
                rate(engine, "mixed 50/50", threads, this::mix);
            }
            rate(engine, "put, no fsync, each awaited", 1, this::putAwaited);
        }
        try (Engine engine = open(store, true)) {
            for (int threads : new int[] {1, 2, 64}) {
                String name = "durable put, " + threads + (threads == 1 ? " writer" : " writers");
                rateOf(engine, name, threads, this::putAwaited);
            }
        }
        anonymousMebibytes().ifPresent(now -> report("RSS without files, at the end", now, "MiB"));
    }

    private boolean wants(String what) {
        return plan.wants(plan.name(what));
    }

    private void report(String what, double value, String unit) {
        if (!FIGURES.contains(what)) {
            throw new IllegalArgumentException(what);
        }
        if (wants(what)) {
            figures.accept(new Figure(plan.name(what), value, unit));
        }
    }

    private Engine open(Path store, boolean durable) {
        return plan.engine().open(store, durable, plan.compression());
    }

    /** Loads all keys with one thread, then into another store with two; returns the latter. */
    private Path load() {
        int keys = plan.keys();
        long began = nanoClock.getAsLong();
        do {
            loadOnce("warm-up", 1, keys);
            Folder.delete(plan.directory().resolve("warm-up"));
        } while (nanoClock.getAsLong() - began < LOAD_WARM_UP_NANOS);
        String put = "put, no fsync, ";
        if (wants(put + "1 thread")) {
            report(put + "1 thread", keys / loadOnce("one", 1, keys), PER_SECOND);
            Folder.delete(plan.directory().resolve("one"));
        }
        report(put + "2 threads", keys / loadOnce("two", 2, keys), PER_SECOND);
        return plan.directory().resolve("two");
    }

    private double loadOnce(String name, int threads, int keys) {
        Path folder = plan.directory().resolve(name);
        try (Engine engine = open(folder, false)) {
            double seconds =
                    seconds(
                            engine,
                            threads,
                            (session, thread) -> () -> putAll(session, thread, threads, keys));
            engine.flush();
            Folder.awaitQuiet(folder, nanoClock);
            if (threads == 2) {
                engine.writeAmplification()
                        .ifPresent(times -> report(WRITE_AMPLIFICATION, times, "x"));
            }
            return seconds;
        }
    }

    private long putAll(Engine.Session session, int thread, int threads, int keys) {
        for (long number = thread; number < keys; number += threads) {
            session.stream(TrialData.key(number), data.value(number));
        }
        session.drain();
        return keys;
    }

    /** Measures the median time to open the store and read a first key. */
    private void measureOpening(Path store) {
        double[] millis = new double[OPENINGS];
        for (int i = 0; i < OPENINGS; i++) {
            long began = nanoClock.getAsLong();
            try (Engine engine = open(store, false)) {
                require(engine.session().head(TrialData.key(i)) == i);
                millis[i] = (nanoClock.getAsLong() - began) / NANOS_PER_MILLI;
            }
        }
        Arrays.sort(millis);
        report("time to open", millis[OPENINGS / 2], "ms");
    }

    /** Fills caches and page tables and compiles code before the first measurement. */
    private void readEverything(Engine engine) {
        long end = nanoClock.getAsLong() + (long) (4 * plan.warmUpMillis() * NANOS_PER_MILLI);
        do {
            seconds(engine, 2, (session, thread) -> () -> readHalf(session, thread));
        } while (nanoClock.getAsLong() < end);
    }

    private long readHalf(Engine.Session session, int thread) {
        for (long number = thread; number < plan.keys(); number += 2) {
            require(session.head(TrialData.key(number)) == number);
        }
        return plan.keys();
    }

    private void measureReads(Engine engine, int threads) {
        rate(engine, "get hit", threads, (session, thread) -> reads(session, thread, 0));
        // The absent keys are randomly distributed among the written ones.
        rate(engine, "get miss", threads, (session, thread) -> reads(session, thread, plan.keys()));
        rate(engine, "scan", threads, (session, thread) -> () -> scan(session));
    }

    private void rate(Engine engine, String what, int threads, Work work) {
        rateOf(engine, what + (threads == 1 ? ", 1 thread" : ", 2 threads"), threads, work);
    }

    private void rateOf(Engine engine, String name, int threads, Work work) {
        if (wants(name)) {
            report(name, rate(engine, threads, work), PER_SECOND);
        }
    }

    private LongSupplier reads(Engine.Session session, int thread, int firstKey) {
        SplittableRandom random = new SplittableRandom(thread);
        return () -> {
            for (int i = 0; i < BLOCK; i++) {
                int number = firstKey + random.nextInt(plan.keys());
                long expected = firstKey == 0 ? number : Engine.NONE;
                require(session.head(TrialData.key(number)) == expected);
            }
            return BLOCK;
        };
    }

    private long scan(Engine.Session session) {
        long entries = session.scan();
        require(entries == plan.keys());
        return entries;
    }

    /** Reads and overwrites, so that flushes and compactions run continuously. */
    private LongSupplier mix(Engine.Session session, int thread) {
        SplittableRandom random = new SplittableRandom(thread);
        return () -> {
            for (int i = 0; i < BLOCK; i += 2) {
                int number = random.nextInt(plan.keys());
                require(session.head(TrialData.key(number)) == number);
                int written = random.nextInt(plan.keys());
                session.stream(TrialData.key(written), data.value(written));
            }
            return BLOCK;
        };
    }

    private LongSupplier putAwaited(Engine.Session session, int thread) {
        long[] next = {nextKey.addAndGet(1L << 32)};
        return () -> {
            long number = next[0]++;
            session.put(TrialData.key(number), data.value(number));
            return 1;
        };
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new IllegalStateException("the engine gave a wrong answer");
        }
    }

    /** The resident memory of this process without mapped files, in MiB. Only Linux reports it. */
    private static OptionalDouble anonymousMebibytes() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("RssAnon:"))
                    .mapToDouble(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024.0)
                    .findFirst();
        } catch (IOException e) {
            return OptionalDouble.empty();
        }
    }

    /** A figure of a trial. The name is the same for all engines. */
    record Figure(String name, double value, String unit) {

        /** The line that {@link #parse} reads. */
        String toLine() {
            return "figure\t" + name + "\t" + value + "\t" + unit;
        }

        static boolean isLine(String line) {
            return line.startsWith("figure\t");
        }

        static Figure parse(String line) {
            String[] parts = line.split("\t", -1);
            return new Figure(parts[1], Double.parseDouble(parts[2]), parts[3]);
        }
    }

    /**
     * @param directory an empty directory for the data
     * @param valueBytes the size of each value, 8 or more
     */
    record TrialPlan(
            Engine.EngineKind engine,
            Path directory,
            int keys,
            int valueBytes,
            int warmUpMillis,
            int runMillis,
            Pattern only,
            Compression compression) {

        List<String> toArguments() {
            return List.of(
                    engine.name(),
                    directory.toString(),
                    Integer.toString(keys),
                    Integer.toString(valueBytes),
                    Integer.toString(warmUpMillis),
                    Integer.toString(runMillis),
                    only.pattern(),
                    compression.name());
        }

        static TrialPlan ofArguments(String[] arguments) {
            return new TrialPlan(
                    Engine.EngineKind.valueOf(arguments[0]),
                    Path.of(arguments[1]),
                    Integer.parseInt(arguments[2]),
                    Integer.parseInt(arguments[3]),
                    Integer.parseInt(arguments[4]),
                    Integer.parseInt(arguments[5]),
                    Pattern.compile(arguments[6]),
                    Compression.valueOf(arguments[7]));
        }

        boolean wants(String figure) {
            return only.matcher(figure).find();
        }

        boolean wantsAnything() {
            return Trial.FIGURES.stream().anyMatch(what -> wants(name(what)));
        }

        /** The full name of a figure, with the size of the values. */
        String name(String what) {
            return (valueBytes < 1024 ? valueBytes + " B" : valueBytes / 1024 + " KiB")
                    + ": "
                    + what;
        }
    }

    /** The same work in several threads, each with its own session. */
    private interface Work {

        /** Returns a step, which runs operations and returns their number. */
        LongSupplier begin(Engine.Session session, int thread);
    }

    /** Measures the operations per second of all threads for some time after a warm-up. */
    private double rate(Engine engine, int threads, Work work) {
        long start = nanoClock.getAsLong() + (long) (plan.warmUpMillis() * NANOS_PER_MILLI);
        long end = start + (long) (plan.runMillis() * NANOS_PER_MILLI);
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
    private double seconds(Engine engine, int threads, Work work) {
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
