package dev.quorate.loadtest.pressure;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Slow clients beside a load that is not slow: what the second notices of the first. */
public final class SlowTrial {

    /**
     * What came of one kind.
     *
     * @param without the load alone
     * @param with the load while the slow clients were there
     * @param slow what became of those
     * @param heapMebibytes the most that was in a node's heap, garbage included
     */
    private record Result(
            SlowKind kind,
            Phase without,
            Phase with,
            SlowClients.Result slow,
            double heapMebibytes) {}

    /**
     * The load that is not slow.
     *
     * @param rate requests a second
     * @param warmUp as fast as it is answered, once
     * @param length of the load alone
     */
    record Plan(int rate, int keys, Duration warmUp, Duration length) {}

    private static final Plan USUAL =
            new Plan(3_000, 10_000, Duration.ofSeconds(20), Duration.ofSeconds(15));
    private static final int CONNECTIONS = 64;
    private static final int VALUE_BYTES = 100;
    private static final int LARGE_BYTES = 1 << 20;
    private static final Duration FILL_LIMIT = Duration.ofMinutes(5);
    private static final Duration STEP = Duration.ofSeconds(1);

    private final List<InetSocketAddress> nodes;
    private final Consumer<String> progress;
    private final Plan plan;
    private final LongSupplier nanoClock;
    private final Supplier<ByteBuffer> requests;
    private boolean prepared;

    public SlowTrial(List<InetSocketAddress> nodes, Consumer<String> progress) {
        this(nodes, progress, USUAL, System::nanoTime);
    }

    /** With another load, and a clock for the slow ones. */
    SlowTrial(
            List<InetSocketAddress> nodes,
            Consumer<String> progress,
            Plan plan,
            LongSupplier nanoClock) {
        this.nodes = nodes;
        this.progress = progress;
        this.plan = plan;
        this.nanoClock = nanoClock;
        this.requests =
                Requests.byTurns(
                        Requests.gets("2/3", plan.keys(), 1),
                        Requests.puts("2/3", plan.keys(), VALUE_BYTES, 2));
    }

    /** So many clients of one kind. */
    public void run(SlowKind kind, int sockets) throws IOException {
        try (OpenLoop load = new OpenLoop(nodes.getFirst(), CONNECTIONS)) {
            if (!prepared) {
                prepare(load);
                prepared = true;
            }
            load.run(requests, plan.rate(), STEP);
            Phase without = load.run(requests, plan.rate(), plan.length());
            Phase with;
            SlowClients.Result slow;
            double heap;
            try (Watch watch = new Watch(nodes)) {
                CompletableFuture<SlowClients.Result> followed =
                        CompletableFuture.supplyAsync(
                                () -> follow(kind, sockets), SlowTrial::start);
                with = load.runWhile(requests, plan.rate(), () -> !followed.isDone());
                slow = join(followed);
                heap = watch.heapMebibytes();
            }
            progress.accept(line(new Result(kind, without, with, slow, heap), sockets));
        }
    }

    private static void start(Runnable task) {
        Thread.ofPlatform().name("slow-clients").daemon().start(task);
    }

    private SlowClients.Result follow(SlowKind kind, int sockets) {
        try {
            return new SlowClients(nodes.getFirst(), kind, nanoClock).run(sockets);
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    private static SlowClients.Result join(CompletableFuture<SlowClients.Result> future)
            throws IOException {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw new IOException("the slow clients failed: " + e.getMessage(), e);
        }
    }

    private void prepare(OpenLoop load) throws IOException {
        Filling.fill(load, plan.keys(), VALUE_BYTES, 3, FILL_LIMIT);
        load.run(requests, 0, plan.warmUp());
        try (Socket socket = new Socket()) {
            socket.connect(nodes.getFirst());
            String head =
                    "PUT /v0/entity?id=%s HTTP/1.0\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                            .formatted(SlowClients.LARGE_KEY, LARGE_BYTES);
            socket.getOutputStream().write(head.getBytes(US_ASCII));
            socket.getOutputStream().write(Requests.value(LARGE_BYTES, new SplittableRandom(4)));
            byte[] answer = socket.getInputStream().readAllBytes();
            if (!new String(answer, US_ASCII).startsWith("HTTP/1.1 201")) {
                throw new IOException("a value of a megabyte was not stored");
            }
        }
    }

    private String line(Result result, int sockets) {
        Phase without = result.without();
        Phase with = result.with();
        SlowClients.Result slow = result.slow();
        return String.format(
                Locale.ROOT,
                "%d slow %s: closed %d, the last %+d ms from its deadline of %d s, left %d, 503 to"
                        + " %d; others at %d/s: p50 %.2f to %.2f ms, p99 %.2f to %.2f ms = %.1fx,"
                        + " %s, lost %d; heap %.0f MiB",
                sockets,
                result.kind().name().toLowerCase(Locale.ROOT),
                slow.closed(),
                slow.latestMillis(),
                result.kind().deadline().toSeconds(),
                slow.left(),
                slow.refused(),
                plan.rate(),
                without.served().millis(0.5),
                with.served().millis(0.5),
                without.served().millis(0.99),
                with.served().millis(0.99),
                with.served().millis(0.99) / without.served().millis(0.99),
                with.statuses(),
                with.lost(),
                result.heapMebibytes());
    }
}
