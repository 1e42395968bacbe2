package dev.quorate.loadtest.pressure;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A load, once as fast as the cluster answers, and then at several times that rate, whether it
 * answers or not; and how long it takes until a small load is served as before.
 */
public final class Overload {

    /**
     * How it is done.
     *
     * @param peakConnections with which the peak is looked for: as many as the cluster needs
     * @param connections of the load
     * @param warmUp under full load, before anything counts
     * @param length of each stretch that counts
     * @param multiples of the peak that are offered
     */
    public record Plan(
            int peakConnections,
            int connections,
            Duration warmUp,
            Duration length,
            List<Double> multiples) {}

    /**
     * What came of one multiple.
     *
     * @param peak what the cluster answers at most, a second
     * @param baseMillis the 99th percentile of a small load, before
     * @param phase the stretch under too much load
     * @param statics the node's static answer meanwhile
     * @param heapMebibytes the most that was in a node's heap
     * @param recoveredMillis from the end of the load until the small one was as before; negative
     *     if it was not
     */
    private record Result(
            double multiple,
            double peak,
            double baseMillis,
            Phase phase,
            Phase statics,
            double heapMebibytes,
            long recoveredMillis) {}

    /** Of the peak: so little that nothing waits. */
    private static final double SMALL_SHARE = 0.25;

    private static final Duration STEP = Duration.ofMillis(500);
    private static final int RECOVERY_STEPS = 16;

    /** As before: the 99th percentile is at most so many times what it was, or ... */
    private static final double AS_BEFORE = 2;

    /** ... this, since a collection of either side takes as long. */
    private static final double NOISE_MILLIS = 10;

    private final List<InetSocketAddress> nodes;
    private final Consumer<String> progress;

    public Overload(List<InetSocketAddress> nodes, Consumer<String> progress) {
        this.nodes = nodes;
        this.progress = progress;
    }

    /** Carries out a plan with one kind of load, and reports each multiple. */
    public void run(Plan plan, Supplier<ByteBuffer> requests) throws IOException {
        double peak = peak(plan, requests);
        progress.accept(String.format(Locale.ROOT, "peak %,.0f a second", peak));
        try (OpenLoop load = new OpenLoop(nodes.getFirst(), plan.connections())) {
            load.askBeside();
            for (double multiple : plan.multiples()) {
                progress.accept(line(measure(load, plan, requests, peak, multiple)));
            }
        }
    }

    /** Each connection waits for its answer, so that there is never too much. */
    private double peak(Plan plan, Supplier<ByteBuffer> requests) throws IOException {
        try (OpenLoop load = new OpenLoop(nodes.getFirst(), plan.peakConnections())) {
            load.run(requests, 0, plan.warmUp());
            return load.run(requests, 0, plan.length()).goodput();
        }
    }

    private Result measure(
            OpenLoop load, Plan plan, Supplier<ByteBuffer> requests, double peak, double multiple)
            throws IOException {
        load.run(requests, peak * SMALL_SHARE, STEP.multipliedBy(2));
        Phase before = load.run(requests, peak * SMALL_SHARE, STEP.multipliedBy(6));
        double baseMillis = before.served().millis(0.99);
        Phase phase;
        Phase statics;
        double heap;
        try (Watch watch = new Watch(nodes)) {
            phase = load.run(requests, peak * multiple, plan.length());
            statics = load.beside();
            heap = watch.heapMebibytes();
        }
        long recovered = recover(load, requests, peak * SMALL_SHARE, baseMillis);
        return new Result(multiple, peak, baseMillis, phase, statics, heap, recovered);
    }

    /** Milliseconds until every step that follows is as before; -1 if that does not happen. */
    private static long recover(
            OpenLoop load, Supplier<ByteBuffer> requests, double rate, double baseMillis)
            throws IOException {
        int good = RECOVERY_STEPS;
        for (int step = 0; step < RECOVERY_STEPS; step++) {
            Phase phase = load.run(requests, rate, STEP);
            boolean asBefore =
                    phase.served().millis(0.99) <= Math.max(AS_BEFORE * baseMillis, NOISE_MILLIS)
                            && phase.count(503) == 0
                            && phase.count(504) == 0
                            && phase.lost() == 0;
            good = asBefore ? Math.min(good, step) : RECOVERY_STEPS;
        }
        return good == RECOVERY_STEPS ? -1 : good * STEP.toMillis();
    }

    /** A result in one line. */
    private static String line(Result result) {
        Phase phase = result.phase();
        return String.format(
                Locale.ROOT,
                "%.1fx: sent %,.0f/s (unsent %,.0f/s), served %,.0f/s = %.2f of the peak,"
                        + " p50 %.1f p99 %.1f ms; refused %,.0f/s, p50 %.1f p99 %.1f ms;"
                        + " static p50 %.1f p99 %.1f ms; without Retry-After %d; lost %d; %s; heap %.0f MiB; base p99 %.1f ms,"
                        + " back after %d ms",
                result.multiple(),
                phase.sent(),
                phase.unsent(),
                phase.goodput(),
                phase.goodput() / result.peak(),
                phase.served().millis(0.5),
                phase.served().millis(0.99),
                phase.refusals(),
                phase.refused().millis(0.5),
                phase.refused().millis(0.99),
                result.statics().served().millis(0.5),
                result.statics().served().millis(0.99),
                phase.withoutRetryAfter(),
                phase.lost(),
                phase.statuses(),
                result.heapMebibytes(),
                result.baseMillis(),
                result.recoveredMillis());
    }
}
