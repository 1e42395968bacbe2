package dev.quorate.testkit.check;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.HistoryVerdict;
import dev.quorate.testkit.history.JepsenExport;
import dev.quorate.testkit.history.Promise;
import dev.quorate.testkit.history.Recorder;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs one check: waits for a ready cluster, runs clients and faults, and prints the verdict. */
final class CheckRun implements AutoCloseable {

    static final int HELD = 0;
    static final int BROKEN = 1;
    static final int UNCHECKED = 2;

    private static final long WINDOW_MILLIS = 10_000;

    /** Twice a node's default request timeout. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);

    private final Cluster cluster;
    private final CheckOptions options;
    private final Ticker ticker;
    private final PrintStream out;

    private final HistoryClient requests;
    private final Recorder recorder = new Recorder();
    private final CountDownLatch over = new CountDownLatch(1);
    private final CheckWorkload workload;
    private final Traffic traffic;
    private final FaultRunner faults;

    CheckRun(Cluster cluster, CheckOptions options, Ticker ticker, PrintStream out) {
        this.cluster = cluster;
        this.options = options;
        this.ticker = ticker;
        this.out = out;
        this.requests =
                new HistoryClient(REQUEST_TIMEOUT, options.promise() == Promise.LINEARIZABLE);
        // Includes the time, so that a repeated seed does not find keys of its previous run.
        String prefix = "check-%x-%x-".formatted(options.seed(), ticker.wallMillis());
        this.workload =
                new CheckWorkload(
                        prefix,
                        options.seed(),
                        options.keys(),
                        WINDOW_MILLIS,
                        QuorumSpec.majority(options.from()),
                        options.promise());
        this.traffic =
                new Traffic(
                        requests,
                        cluster.nodes().stream().map(cluster::url).toList(),
                        recorder,
                        workload,
                        options.rate(),
                        ticker);
        this.faults = new FaultRunner(cluster, requests::isReady, ticker);
    }

    /**
     * Checks and prints the result. Returns {@link #HELD}, {@link #BROKEN} or {@link #UNCHECKED}.
     */
    int run() throws IOException, InterruptedException {
        String unready = awaitReady();
        if (!unready.isEmpty()) {
            out.println("Not checked: " + unready);
            return UNCHECKED;
        }
        out.printf(
                Locale.ROOT,
                "Checking %d nodes for %s with %d clients, at most %d requests a second; faults:"
                        + " %s; seed: %d%n",
                cluster.nodes().size(),
                words(options.duration()),
                options.clients(),
                options.rate(),
                FaultKind.words(options.faults()),
                options.seed());
        SplittableRandom random = new SplittableRandom(options.seed());
        long millis = options.duration().toMillis();
        faults.start(
                FaultSchedule.random(random.split(), cluster.nodes(), options.faults(), millis));
        traffic.start(options.clients(), random.split());
        awaitEnd();
        traffic.stop();
        faults.healAll();
        String unhealed = awaitReady();
        long work = traffic.nanos() / 1_000_000;
        List<String> unread =
                traffic.readAll(
                        workload.keys(Math.min(work, options.duration().toMillis())),
                        options.clients(),
                        options.clients(),
                        options.readyLimit().toMillis(),
                        options.seed());
        return report(unhealed, unread);
    }

    private void awaitEnd() throws InterruptedException {
        long deadline = ticker.nanos() + options.duration().toNanos();
        long left = options.duration().toNanos();
        while (left > 0) {
            boolean isOver =
                    over.await(Math.min(left, TimeUnit.SECONDS.toNanos(5)), TimeUnit.NANOSECONDS);
            if (isOver) {
                throw new InterruptedException();
            }
            left = deadline - ticker.nanos();
            if (left > 0) {
                progress();
            }
        }
    }

    private void progress() {
        double seconds = traffic.nanos() / 1e9;
        String broken = faults.now();
        out.printf(
                Locale.ROOT,
                "%5.0f s  %d operations (%.0f/s): %s%s%n",
                seconds,
                traffic.tally().all(),
                traffic.tally().all() / seconds,
                traffic.tally(),
                broken.isEmpty() ? "" : "; " + broken);
        out.flush();
    }

    /** Waits until all nodes are ready. Returns why they are not in time; empty if they are. */
    private String awaitReady() throws InterruptedException, IOException {
        long deadline = ticker.nanos() + options.readyLimit().toNanos();
        for (String node : cluster.nodes()) {
            while (!requests.isReady(cluster.url(node)).join()) {
                if (ticker.nanos() - deadline >= 0) {
                    String logTail = cluster.logTail(node);
                    return "%s at %s is not ready after %s%s"
                            .formatted(
                                    node,
                                    cluster.url(node),
                                    words(options.readyLimit()),
                                    logTail.isEmpty() ? "." : "; " + logTail);
                }
                if (over.await(50, TimeUnit.MILLISECONDS)) {
                    throw new InterruptedException();
                }
            }
        }
        return "";
    }

    private int report(String unhealed, List<String> unread) throws IOException {
        out.println("Checking the history of " + traffic.tally().all() + " operations.");
        out.flush();
        History history = recorder.history();
        write(options.history(), history::writeTo);
        write(options.jepsen(), text -> JepsenExport.write(history, text));
        HistoryVerdict verdict = Checker.check(history, options.promise());
        boolean hasTrouble =
                !faults.failures().isEmpty()
                        || (cluster.isOwn() && !(unhealed.isEmpty() && unread.isEmpty()));
        boolean isBroken = !verdict.isKept() || hasTrouble;
        if (isBroken || options.story()) {
            out.println("Injected faults:");
            faults.events().forEach(out::println);
        }
        int faultCount = faults.done().values().stream().mapToInt(Integer::intValue).sum();
        out.println("Requests: " + traffic.tally() + ".");
        out.println("Faults: " + faultCount + " " + faults.done() + ".");
        if (!traffic.tally().oddExample().isEmpty()) {
            out.println("An unexpected answer: " + traffic.tally().oddExample());
        }
        out.println(verdict);
        faults.failures().forEach(trouble -> out.println("BROKEN: " + trouble));
        String beginning = hasTrouble ? "BROKEN: after everything was healed, " : "";
        if (!unhealed.isEmpty()) {
            out.println(beginning + unhealed);
        }
        if (!unread.isEmpty()) {
            out.printf(
                    Locale.ROOT,
                    "%s%d reads at a majority were not answered in %s, such as %s%n",
                    beginning,
                    unread.size(),
                    words(options.readyLimit()),
                    unread.getFirst());
        }
        return conclude(verdict, isBroken, !unhealed.isEmpty() || !unread.isEmpty(), faultCount);
    }

    private int conclude(
            HistoryVerdict verdict, boolean isBroken, boolean isUnread, int faultCount) {
        HistoryVerdict.Counts counts = verdict.counts();
        if (isBroken) {
            cluster.preserveLogs();
            out.println("BROKEN. The logs of nodes that this check started were kept.");
            String repeats = " repeats the same requests and faults, though not their exact times.";
            out.println("--seed " + options.seed() + repeats);
            return BROKEN;
        }
        if (isUnread || counts.acknowledgedWrites() == 0 || counts.readsChecked() == 0) {
            out.printf(
                    Locale.ROOT,
                    "NOT CHECKED: no violation was found, but there was too little to check: %d"
                            + " writes were acknowledged, and %d reads answered.%n",
                    counts.acknowledgedWrites(),
                    counts.readsChecked());
            return UNCHECKED;
        }
        if (faultCount == 0 && !options.faults().isEmpty()) {
            out.println("NOT CHECKED: the time was too short for any fault.");
            return UNCHECKED;
        }
        out.println("HELD: no answer violates this promise.");
        return HELD;
    }

    private interface Writing {
        void to(Appendable text) throws IOException;
    }

    private void write(@Nullable Path file, Writing writing) throws IOException {
        if (file != null) {
            try (Writer text = Files.newBufferedWriter(file)) {
                writing.to(text);
            }
            out.println("Written: " + file);
        }
    }

    /** Deletes the keys of this check, unless it started the cluster. */
    void deleteKeys() {
        if (!cluster.isOwn()) {
            traffic.deleteAll(workload.keys(options.duration().toMillis()));
        }
    }

    static String words(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
    }

    /** Ends the check early. Any thread may call this. */
    void interrupt() {
        over.countDown();
        try {
            faults.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        requests.close();
    }

    /**
     * @param rate the maximum number of requests per second of all clients
     * @param keys the number of keys in a window of time
     * @param from the number of replicas of a key
     * @param history the file for all operations; null for none
     * @param jepsen the file for the same operations in Jepsen's format; null for none
     * @param story whether to print the injected faults even if the promise was kept
     * @param readyLimit the limit for nodes to become ready, and for the final reads
     */
    record CheckOptions(
            Duration duration,
            Set<FaultKind> faults,
            int clients,
            int rate,
            int keys,
            int from,
            Promise promise,
            long seed,
            @Nullable Path history,
            @Nullable Path jepsen,
            boolean story,
            Duration readyLimit) {}
}
