package dev.quorate.testkit.check;

import dev.quorate.node.runtime.Ticker;
import dev.quorate.testkit.check.Step.Timed;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.JepsenExport;
import dev.quorate.testkit.history.Recorder;
import dev.quorate.testkit.history.Verdict;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One check, from a cluster that should become ready to a verdict in words. */
final class CheckRun implements AutoCloseable {

    static final int HELD = 0;
    static final int BROKEN = 1;
    static final int UNCHECKED = 2;

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long WINDOW_MILLIS = 10_000;
    private static final long PROGRESS_SECONDS = 5;
    private static final long POLL_MILLIS = 50;

    /** Twice what a node gives a request by default. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Cluster cluster;
    private final CheckOptions options;
    private final Ticker ticker;
    private final PrintStream out;

    /** What comes after its end, when a check is interrupted, is of no use any more. */
    private final ScheduledExecutorService timer =
            new ScheduledThreadPoolExecutor(
                    1,
                    Thread.ofPlatform().name("timer").daemon().factory(),
                    new ThreadPoolExecutor.DiscardPolicy());

    private final Requests requests = new Requests(PATIENCE, timer);
    private final Recorder recorder = new Recorder();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Workload workload;
    private final Traffic traffic;
    private final Nemesis nemesis;

    CheckRun(Cluster cluster, CheckOptions options, Ticker ticker, PrintStream out) {
        this.cluster = cluster;
        this.options = options;
        this.ticker = ticker;
        this.out = out;
        // Of the time, too: a seed that is used again must not meet what it has left behind.
        String prefix = "check-%x-%x-".formatted(options.seed(), ticker.wallMillis());
        this.workload =
                new Workload(
                        prefix,
                        options.seed(),
                        options.keys(),
                        WINDOW_MILLIS,
                        options.from(),
                        options.promise());
        this.traffic =
                new Traffic(
                        requests,
                        cluster.nodes().stream().map(cluster::url).toList(),
                        recorder,
                        workload,
                        options.rate(),
                        ticker,
                        timer);
        this.nemesis = new Nemesis(cluster, requests::isReady, ticker);
    }

    /** Checks, prints what comes of it, and returns {@link #HELD} or one of the others. */
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
        List<Timed> schedule =
                FaultSchedule.random(
                        random.split(),
                        cluster.nodes(),
                        options.faults(),
                        options.duration().toMillis());
        nemesis.start(schedule);
        traffic.start(options.clients(), random.split());
        awaitEnd();
        traffic.stop();
        nemesis.makePeace();
        String unhealed = awaitReady();
        long work = traffic.nanos() / NANOS_PER_MILLI;
        List<String> unread =
                traffic.readAll(
                        workload.keys(Math.min(work, options.duration().toMillis())),
                        options.clients(),
                        options.clients(),
                        options.readyLimit().toMillis(),
                        options.seed());
        return judge(unhealed, unread);
    }

    private void awaitEnd() throws InterruptedException {
        long deadline = ticker.nanos() + options.duration().toNanos();
        long left = options.duration().toNanos();
        while (left > 0) {
            boolean isOver =
                    over.await(
                            Math.min(left, TimeUnit.SECONDS.toNanos(PROGRESS_SECONDS)),
                            TimeUnit.NANOSECONDS);
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
        double seconds = traffic.nanos() / NANOS_PER_SECOND;
        String broken = nemesis.now();
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

    /** Why not, if not all nodes are ready in time; or nothing. */
    private String awaitReady() throws InterruptedException, IOException {
        long deadline = ticker.nanos() + options.readyLimit().toNanos();
        for (String node : cluster.nodes()) {
            while (!requests.isReady(cluster.url(node)).join()) {
                if (ticker.nanos() - deadline >= 0) {
                    String evidence = cluster.evidence(node);
                    return node
                            + " at "
                            + cluster.url(node)
                            + " is not ready after "
                            + words(options.readyLimit())
                            + (evidence.isEmpty() ? "." : "; " + evidence);
                }
                if (over.await(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw new InterruptedException();
                }
            }
        }
        return "";
    }

    private int judge(String unhealed, List<String> unread) throws IOException {
        out.println("Judging " + traffic.tally().all() + " operations.");
        out.flush();
        History history = recorder.history();
        write(options.history(), history::writeTo);
        write(options.jepsen(), text -> JepsenExport.write(history, text));
        Verdict verdict = Checker.check(history, options.promise());
        boolean hasTrouble =
                !nemesis.troubles().isEmpty()
                        || (cluster.isOwn() && !(unhealed.isEmpty() && unread.isEmpty()));
        boolean isBroken = !verdict.isKept() || hasTrouble;
        if (isBroken || options.story()) {
            out.println("What was done to the nodes:");
            nemesis.story().forEach(out::println);
        }
        int faults = nemesis.done().values().stream().mapToInt(Integer::intValue).sum();
        out.println("Requests: " + traffic.tally() + ".");
        out.println("Faults: " + faults + " " + nemesis.done() + ".");
        if (!traffic.tally().oddExample().isEmpty()) {
            out.println("An answer that was not expected: " + traffic.tally().oddExample());
        }
        out.println(verdict);
        nemesis.troubles().forEach(trouble -> out.println("BROKEN: " + trouble));
        String beginning = hasTrouble ? "BROKEN: after everything was healed, " : "";
        if (!unhealed.isEmpty()) {
            out.println(beginning + unhealed);
        }
        if (!unread.isEmpty()) {
            out.println(
                    beginning
                            + unread.size()
                            + " reads at a majority were not answered in "
                            + words(options.readyLimit())
                            + ", such as "
                            + unread.getFirst());
        }
        return conclude(verdict, isBroken, !unhealed.isEmpty() || !unread.isEmpty(), faults);
    }

    private int conclude(Verdict verdict, boolean isBroken, boolean isUnread, int faults) {
        Verdict.Counts counts = verdict.counts();
        if (isBroken) {
            cluster.keepEvidence();
            out.println("BROKEN. The nodes' logs, if they are ours, were kept.");
            out.println(
                    "--seed "
                            + options.seed()
                            + " asks and breaks the same things again, though not at quite the"
                            + " same moments.");
            return BROKEN;
        }
        if (isUnread || counts.acknowledgedWrites() == 0 || counts.readsJudged() == 0) {
            out.println(
                    "NOT CHECKED: nothing wrong was seen, but too little was seen at all: "
                            + counts.acknowledgedWrites()
                            + " writes were acknowledged, and "
                            + counts.readsJudged()
                            + " reads answered.");
            return UNCHECKED;
        }
        if (faults == 0 && !options.faults().isEmpty()) {
            out.println("NOT CHECKED: in so short a time nothing could be broken.");
            return UNCHECKED;
        }
        out.println("HELD: nobody was told what this promise rules out.");
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

    /** Deletes what was written to a cluster that others use. */
    void tidyUp() {
        if (!cluster.isOwn()) {
            traffic.deleteAll(workload.keys(options.duration().toMillis()));
        }
    }

    static String words(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
    }

    /** Ends what is under way, as soon as may be. From any thread. */
    void interrupt() {
        over.countDown();
        try {
            nemesis.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        requests.close();
        timer.shutdownNow();
    }
}
