package dev.quorate.loadtest;

import static dev.quorate.cli.local.Commands.violation;
import static java.net.http.HttpClient.Version.HTTP_1_1;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.process.Command;
import dev.quorate.cli.process.CommandException;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.RunCheck;
import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench waits}: measures clients that wait at one node of three, each for a key of
 * its own, and GETs and PUTs of others beside them.
 *
 * <p>Exit status: 0 if each write ended the wait for its key; 1 if one did not, or a measurement
 * failed; 2 if the arguments are invalid.
 */
@CommandLine.Command(
        name = "waits",
        description = "Measures clients that wait for changes, and others beside them.")
final class WaitsBench implements Callable<Integer> {

    /** The clients use ten addresses, because a node limits the waits of each. */
    private static final int ADDRESSES = 10;

    private static final int OTHERS_PER_SECOND = 400;
    private static final int VALUE_BYTES = 100;
    private static final int OTHER_KEYS = 1_000;
    private static final long WRITE_NANOS = 20_000_000;
    private static final long POLL_NANOS = 50_000_000;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @Option(
            names = "--waits",
            paramLabel = "N",
            description = "Number of waiting clients. Default: ${DEFAULT-VALUE}.")
    private int waits = 5_000;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Seconds of each measurement. Default: ${DEFAULT-VALUE}.")
    private int seconds = 10;

    @CommandLine.Mixin private final ClusterOptions where = new ClusterOptions(18_580);

    private final List<HttpClient> clients = new ArrayList<>();

    /** When a version was acknowledged, and when it ended a wait, in nanoseconds, by ETag. */
    private final Map<String, Long> written = new ConcurrentHashMap<>();

    private final Map<String, Long> woken = new ConcurrentHashMap<>();
    private final LongAdder failures = new LongAdder();
    private volatile boolean isOver;

    WaitsBench(Path home, PrintStream out, PrintStream err) {
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() {
        Optional<String> complaint =
                where.complaint(home)
                        .or(() -> violation("--waits", waits, 1, 10_000))
                        .or(() -> violation("--seconds", seconds, 1, 600));
        if (complaint.isPresent()) {
            err.println("quorate bench: " + complaint.get());
            return 2;
        }
        try (ScratchFolder folder = where.scratch(home, "waits-");
                ProcessCluster cluster = folder.start(3, where.port());
                var writer = Executors.newSingleThreadExecutor()) {
            measure(new Command(folder.path().resolve("jcmd.out")), cluster, writer);
            return written.keySet().equals(woken.keySet()) && failures.sum() == 0 ? 0 : 1;
        } catch (CommandException | IOException | InterruptedException | ExecutionException e) {
            err.println("quorate bench: no figures: " + e.getMessage());
            return 1;
        } finally {
            isOver = true;
            clients.forEach(HttpClient::shutdownNow);
        }
    }

    private void measure(Command command, ProcessCluster cluster, ExecutorService writer)
            throws CommandException, IOException, InterruptedException, ExecutionException {
        for (int i = 1; i <= ADDRESSES; i++) {
            InetAddress address = InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) i});
            clients.add(HttpClient.newBuilder().version(HTTP_1_1).localAddress(address).build());
        }
        String url = cluster.url();
        Load all = load(url, Load.Operation.PUT, Load.Manner.EVERY_KEY, 0);
        RunCheck.requireRight(all, new OpenLoopGenerator().run(all), Set.of());
        List<String> versions = new ArrayList<>();
        for (int i = 0; i < waits; i++) {
            versions.add(put(cluster.url("n2"), i));
        }
        others("warm-up", url);
        others("alone", url);
        long pid = Objects.requireNonNull(cluster.processes().get("n1"));
        long before = heapBytes(command, pid);
        for (int i = 0; i < waits; i++) {
            await(url, i, versions.get(i));
        }
        String waiting = "\nquorate_waits " + waits + ".0\n";
        while (!ElasticBench.page(url, "/metrics").contains(waiting)) {
            requireRight();
        }
        long bytes = (heapBytes(command, pid) - before) / waits;
        out.printf(Locale.ROOT, "%,d waits: %,d bytes of heap for each connection%n", waits, bytes);
        others("beside them", url);
        int count = (int) Math.min(waits, 2L * seconds * 1_000_000_000 / WRITE_NANOS);
        Future<?> writing = writer.submit(() -> write(cluster, count));
        others("beside writes that end waits", url);
        writing.get();
        long end = SystemTicker.INSTANCE.nanos() + LIMIT.toNanos();
        while (woken.size() < count && end - SystemTicker.INSTANCE.nanos() > 0) {
            requireRight();
        }
        Histogram micros = new Histogram(3);
        woken.forEach(
                (version, nanos) -> {
                    // The answer to a write may arrive after its wait has ended.
                    long after = Math.max(0, nanos - written.getOrDefault(version, nanos));
                    micros.recordValue(after / 1_000);
                });
        Spectrum latency = new Spectrum(micros);
        out.printf(
                Locale.ROOT,
                "%,d writes, %,d waits ended: p50 %.2f, p99 %.2f, at most %.2f ms after the 201%n",
                count,
                woken.size(),
                latency.millis(0.5),
                latency.millis(0.99),
                latency.maxMillis());
    }

    private void requireRight() throws CommandException {
        if (failures.sum() > 0 || !Commands.sleepNanos(POLL_NANOS)) {
            throw new CommandException(failures + " waits failed.");
        }
    }

    private Load load(String url, Load.Operation operation, Load.Manner manner, int rate) {
        return new Load(
                url,
                Load.Requests.of(operation, "2/3", OTHER_KEYS, VALUE_BYTES),
                Load.Clients.of(8),
                manner,
                new Load.Timing(0, seconds, rate));
    }

    /** Sends GETs and then PUTs of other keys, at a rate. */
    private void others(String what, String url) throws CommandException {
        for (Load.Operation operation : List.of(Load.Operation.GET, Load.Operation.PUT)) {
            Load load = load(url, operation, Load.Manner.TIMED, OTHERS_PER_SECOND);
            Spectrum latency = new OpenLoopGenerator().run(load).latency();
            out.printf(
                    Locale.ROOT,
                    "%s %s: p50 %.2f, p99 %.2f ms%n",
                    operation,
                    what,
                    latency.millis(0.5),
                    latency.millis(0.99));
        }
    }

    /** The heap of a process after a collection. */
    private static long heapBytes(Command command, long pid) throws CommandException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        List<String> line = List.of(jcmd, Long.toString(pid), "GC.class_histogram");
        String table = command.run(line, LIMIT).output().strip();
        return Long.parseLong(table.substring(table.lastIndexOf(' ') + 1));
    }

    private void write(ProcessCluster cluster, int count) {
        long begin = SystemTicker.INSTANCE.nanos();
        for (int i = 0; i < count && !isOver; i++) {
            Commands.sleepNanos(begin + i * WRITE_NANOS - SystemTicker.INSTANCE.nanos());
            try {
                String version = put(cluster.url(i % 2 == 0 ? "n2" : "n3"), i);
                written.put(version, SystemTicker.INSTANCE.nanos());
            } catch (IOException | InterruptedException e) {
                failures.increment();
            }
        }
    }

    /** Writes a key for which a client waits, and returns the version. */
    private String put(String url, int key) throws IOException, InterruptedException {
        HttpRequest request = request(url, key, "").PUT(BodyPublishers.ofString("value")).build();
        return clients.getFirst()
                .send(request, BodyHandlers.discarding())
                .headers()
                .firstValue("etag")
                .orElseThrow(() -> new IOException("a PUT has no version"));
    }

    /** Waits for a change of a key from a version on, again and again. */
    private void await(String url, int key, String version) {
        HttpRequest request =
                request(url, key, "&wait=55s").header("If-None-Match", version).build();
        var _ =
                clients.get(key % ADDRESSES)
                        .sendAsync(request, BodyHandlers.discarding())
                        .whenComplete(
                                (answer, failure) -> {
                                    if (isOver) {
                                        return;
                                    }
                                    if (failure != null
                                            || (answer.statusCode() != 200
                                                    && answer.statusCode() != 304)) {
                                        failures.increment();
                                        return;
                                    }
                                    String next =
                                            answer.headers().firstValue("etag").orElse(version);
                                    if (!next.equals(version)) {
                                        woken.put(next, SystemTicker.INSTANCE.nanos());
                                    }
                                    await(url, key, next);
                                });
    }

    private static HttpRequest.Builder request(String url, int key, String more) {
        return HttpRequest.newBuilder(URI.create(url + "/v0/entity?id=w" + key + more));
    }
}
