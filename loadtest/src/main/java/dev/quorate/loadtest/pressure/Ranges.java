package dev.quorate.loadtest.pressure;

import dev.quorate.loadtest.metrics.NodeFigures;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Ranges that are larger than the heap: read, left lying, and broken off. */
public final class Ranges {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final int VALUE_BYTES = 16 << 10;
    private static final int VALUES_PER_MIB = (1 << 20) / VALUE_BYTES;
    private static final int FILLING_CONNECTIONS = 32;
    private static final Duration FILL_LIMIT = Duration.ofMinutes(10);
    private static final long BEGINNING_BYTES = 1 << 20;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Duration LONGEST = Duration.ofSeconds(60);

    /** What a refusal asks for. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** More than any range that there is. */
    private static final long ALL = Long.MAX_VALUE / 2;

    private final List<InetSocketAddress> nodes;
    private final Consumer<String> progress;
    private final Duration longest;
    private long filledBytes;

    public Ranges(List<InetSocketAddress> nodes, Consumer<String> progress) {
        this(nodes, progress, LONGEST);
    }

    /** With another limit for how long is waited until no range is open. */
    Ranges(List<InetSocketAddress> nodes, Consumer<String> progress, Duration longest) {
        this.nodes = nodes;
        this.progress = progress;
        this.longest = longest;
    }

    /** Puts so much, in values of 16 KiB. */
    public void fill(int mebibytes) throws IOException {
        int keys = mebibytes * VALUES_PER_MIB;
        try (OpenLoop load = new OpenLoop(nodes.getFirst(), FILLING_CONNECTIONS)) {
            Filling.fill(load, keys, VALUE_BYTES, 1, FILL_LIMIT);
            filledBytes = (long) keys * VALUE_BYTES;
            progress.accept("filled: " + keys + " values");
        }
    }

    /**
     * One reader, as fast as it can.
     *
     * @throws IOException if the range breaks off, or has less than was put
     */
    public void readAll() throws IOException {
        long begun = System.nanoTime();
        try (Watch watch = new Watch(nodes);
                RangeClient reader = new RangeClient(nodes.getFirst())) {
            long bytes = reader.read(ALL);
            if (bytes < filledBytes) {
                throw new IOException(
                        "%d bytes were put, and the range has only %d."
                                .formatted(filledBytes, bytes));
            }
            double mebibytes = bytes / BYTES_PER_MIB;
            double seconds = (System.nanoTime() - begun) / NANOS_PER_SECOND;
            report("read to its end", mebibytes, seconds, watch.heapMebibytes(), freed());
        }
    }

    /** Readers that begin, and then do not read any more, but stay. */
    public void leaveLying(int readers) throws IOException {
        long begun = System.nanoTime();
        try (Watch watch = new Watch(nodes)) {
            List<RangeClient> all = begin(readers);
            newcomer(readers + " readers that stop");
            long freed = freed();
            double seconds = (System.nanoTime() - begun) / NANOS_PER_SECOND;
            for (RangeClient reader : all) {
                reader.close();
            }
            report(readers + " readers that stop", readers, seconds, watch.heapMebibytes(), freed);
        }
    }

    /** Readers that ask, read nothing and stay, and one that comes after them. */
    public void crowd(int readers) throws IOException {
        List<RangeClient> all = new ArrayList<>();
        try (Watch watch = new Watch(nodes)) {
            for (int i = 0; i < readers; i++) {
                all.add(RangeClient.standing(nodes.getFirst()));
            }
            newcomer(readers + " readers that read nothing");
            int refused = 0;
            int broken = 0;
            for (RangeClient reader : all) {
                try {
                    refused += reader.isServed() ? 0 : 1;
                } catch (IOException e) {
                    broken++;
                }
            }
            progress.accept(
                    String.format(
                            Locale.ROOT,
                            "%d readers that read nothing: 503 to %d, no answer to %d, heap %.0f"
                                    + " MiB",
                            readers,
                            refused,
                            broken,
                            watch.heapMebibytes()));
        } finally {
            for (RangeClient reader : all) {
                reader.close();
            }
        }
        freed();
    }

    /** One more reader, which retries after the delay of a refusal. */
    private void newcomer(String beside) throws IOException {
        long begun = System.nanoTime();
        long millis = -1;
        int refusals = 0;
        while (millis < 0 && System.nanoTime() - begun < longest.toNanos()) {
            try (RangeClient reader = new RangeClient(nodes.getFirst())) {
                if (reader.isServed()) {
                    reader.read(BEGINNING_BYTES);
                    millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
                } else {
                    refusals++;
                }
            }
            if (millis < 0) {
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
        progress.accept(
                String.format(
                        Locale.ROOT,
                        "beside %s: another has its first MiB %s, %d times refused",
                        beside,
                        millis < 0 ? "never" : "after " + millis + " ms",
                        refusals));
    }

    /** Readers that begin, and die. */
    public void breakOff(int readers) throws IOException {
        long begun = System.nanoTime();
        try (Watch watch = new Watch(nodes)) {
            for (RangeClient reader : begin(readers)) {
                reader.die();
            }
            double seconds = (System.nanoTime() - begun) / NANOS_PER_SECOND;
            long freed = freed();
            report(readers + " readers that die", readers, seconds, watch.heapMebibytes(), freed);
        }
    }

    /**
     * Reports one way of reading.
     *
     * @param what was done
     * @param mebibytes that were read, by all readers together
     * @param seconds it took; for abandoned ranges, until the node closed the last
     * @param heapMebibytes the most that was in a node's heap, garbage included
     * @param freedMillis from the end of the readers until no range was open; negative if one was
     *     still
     */
    private void report(
            String what, double mebibytes, double seconds, double heapMebibytes, long freedMillis) {
        progress.accept(
                String.format(
                        Locale.ROOT,
                        "%s: %,.0f MiB in %.1f s, heap %.0f MiB, %s",
                        what,
                        mebibytes,
                        seconds,
                        heapMebibytes,
                        freedMillis < 0
                                ? "a range still open at the end"
                                : "no range open after " + freedMillis + " ms more"));
    }

    private List<RangeClient> begin(int readers) throws IOException {
        List<RangeClient> all = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            RangeClient reader = new RangeClient(nodes.getFirst());
            all.add(reader);
            if (!reader.isServed()) {
                throw new IOException("only " + i + " of " + readers + " ranges are served.");
            }
            reader.read(BEGINNING_BYTES);
        }
        return all;
    }

    /** Milliseconds until no range is open at the first node; -1 if that takes too long. */
    private long freed() throws IOException {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < longest.toNanos()) {
            if (NodeFigures.of(nodes.getFirst()).value("quorate_scans_open").orElse(0) == 0) {
                return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return -1;
    }
}
