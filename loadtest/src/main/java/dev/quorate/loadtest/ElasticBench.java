package dev.quorate.loadtest;

import static dev.quorate.cli.local.Commands.violation;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.MetricsText;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.NodeAccess;
import dev.quorate.cli.process.CommandException;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.RunCheck;
import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.load.StoredValues;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench elastic}: measures three nodes while a fourth one joins, and all four
 * while it leaves again. Each goal is a ratio of two figures of the same run.
 *
 * <p>Exit status: 0 if all goals are met; 1 if one is missed, or a measurement failed; 2 if the
 * arguments are invalid.
 */
@CommandLine.Command(
        name = "elastic",
        description = "Measures a cluster while a fourth node joins, and while it leaves again.")
final class ElasticBench implements Callable<Integer> {

    private static final int NODES = 3;
    private static final double SHARE_OF_CAPACITY = 0.7;

    /** The share of keys that each of four nodes owns, with three copies of each. */
    private static final double OWNED_SHARE = 0.75;

    private static final int VALUE_BYTES = 4_096;
    private static final int ENTRY_BYTES = StoredValues.key(0, VALUE_BYTES).length() + VALUE_BYTES;

    /** The default of {@code rebuild-bytes-per-second}. */
    private static final double BYTES_PER_SECOND = 24 << 20;

    private static final int WINDOW_SECONDS = 2;
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final long POLL_NANOS = 50_000_000;
    private static final double GIGA = 1e9;
    private static final String JOINT = "\"joint\":true";

    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @Option(
            names = "--gigabytes",
            paramLabel = "N",
            description = "Size of all values, before replication. Default: ${DEFAULT-VALUE}.")
    private double gigabytes = 2;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Seconds of each measurement before a change. Default: ${DEFAULT-VALUE}.")
    private int seconds = 20;

    @CommandLine.Mixin private final ClusterOptions where = new ClusterOptions(18_480);

    ElasticBench(Path home, PrintStream out, PrintStream err) {
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() {
        Optional<String> complaint =
                where.complaint(home).or(() -> violation("--seconds", seconds, 1, 600));
        if (complaint.isEmpty() && !(gigabytes >= 0.01 && gigabytes <= 100)) {
            complaint = Optional.of("--gigabytes must be 0.01 to 100, but is " + gigabytes + ".");
        }
        if (complaint.isPresent()) {
            err.println("quorate bench: " + complaint.get());
            return 2;
        }
        try (ScratchFolder folder = where.scratch(home, "elastic-");
                ProcessCluster cluster = folder.start(NODES, where.port())) {
            boolean isMet = true;
            for (Goal goal : measure(folder.path(), cluster.url(), cluster.url("n4"))) {
                out.println(goal.text());
                isMet &= goal.isMet();
            }
            return isMet ? 0 : 1;
        } catch (CommandException | IOException e) {
            err.println("quorate bench: no figures: " + e.getMessage());
            return 1;
        }
    }

    private List<Goal> measure(Path folder, String url, String joinerUrl)
            throws CommandException, IOException {
        Load all = load(url, Load.Operation.PUT, Load.Manner.EVERY_KEY, 0, 3_600);
        RunCheck.requireRight(all, new OpenLoopGenerator().run(all), Set.of());
        run("warm-up", url, 0, seconds);
        Windows capacity = run("capacity", url, 0, seconds);
        int rate = (int) (SHARE_OF_CAPACITY * capacity.rate());
        Windows before = run("before n4 joins", url, rate, seconds);
        String data = folder.resolve("nodes-" + NODES).toString();
        String port = "" + where.port();
        Callable<Change> growth =
                () ->
                        change(
                                folder,
                                url,
                                joinerUrl,
                                "up",
                                "--nodes=4",
                                "--port",
                                port,
                                "--data",
                                data);
        Windows growing = during("while n4 joins", url, rate, growth);
        double copied =
                MetricsText.parse(page(joinerUrl, "/metrics"))
                        .sum("quorate_rebuild_copied_entries_total");
        await(url, page -> !page.contains("\"clean\":false"));
        long bytes = Math.round(copied * ENTRY_BYTES);
        Windows full = run("before n4 leaves", url, 0, seconds);
        Callable<Change> shrinkage =
                () -> change(folder, url, url, "member", "remove", "n4", "--url", url);
        Windows shrinking = during("while n4 leaves", url, 0, shrinkage);
        double least = bytes / BYTES_PER_SECOND;
        out.printf(
                Locale.ROOT,
                "%,d keys; %,.0f entries of %,d bytes copied to n4 in %.1f s, %.1f s at 24 MiB/s%n",
                keys(),
                copied,
                ENTRY_BYTES,
                growing.changeSeconds(),
                least);
        out.printf(
                Locale.ROOT,
                "p99 before n4 joins %.1f ms; with the start of its process %.1f ms; from its first"
                        + " vote on %.1f ms%n",
                before.p99Millis(),
                growing.p99Millis(),
                growing.voting().p99Millis());
        return List.of(
                new Goal(
                        "served at 0.7 of capacity while n4 joins",
                        growing.served(rate),
                        true,
                        0.99),
                new Goal(
                        "p99 from n4's first vote on, to that before",
                        growing.voting().p99Millis() / before.p99Millis(),
                        false,
                        2),
                new Goal(
                        "saturated while n4 leaves, to before",
                        shrinking.rate() / full.rate(),
                        true,
                        0.8),
                new Goal(
                        "entries copied, to 0.75 of the keys",
                        copied / (OWNED_SHARE * keys()),
                        false,
                        1.02),
                new Goal(
                        "time, to that of the bytes alone",
                        growing.changeSeconds() / least,
                        false,
                        2));
    }

    private int keys() {
        return (int) (gigabytes * GIGA / VALUE_BYTES);
    }

    private Load load(
            String url, Load.Operation operation, Load.Manner manner, int rate, int duration) {
        return new Load(
                url,
                Load.Requests.of(operation, "2/3", keys(), VALUE_BYTES),
                Load.Clients.of(64),
                manner,
                new Load.Timing(0, duration, rate));
    }

    private Windows run(String what, String url, int rate, int duration) throws CommandException {
        Load load = load(url, Load.Operation.MIXED, Load.Manner.TIMED, rate, duration);
        Window window =
                new Window(SystemTicker.INSTANCE.nanos(), new OpenLoopGenerator().run(load));
        Windows windows = new Windows(List.of(window), duration, Change.NONE);
        err.printf(
                Locale.ROOT,
                "%s: %,.0f/s, p99 %.2f ms%n",
                what,
                windows.rate(),
                windows.p99Millis());
        return windows;
    }

    /** Sends loads of two seconds each until a change has ended. */
    private Windows during(String what, String url, int rate, Callable<Change> task)
            throws CommandException {
        FutureTask<Change> future = new FutureTask<>(task);
        List<Window> windows = new ArrayList<>();
        Thread.ofPlatform().name("task").daemon().start(future);
        try {
            while (!future.isDone()) {
                windows.addAll(run(what, url, rate, WINDOW_SECONDS).windows);
            }
            return new Windows(windows, WINDOW_SECONDS, future.get());
        } catch (ExecutionException | InterruptedException e) {
            throw new CommandException(what + ": " + e.getMessage(), e);
        } finally {
            future.cancel(true);
        }
    }

    /**
     * Runs a command that changes the members, and notes when keys moved.
     *
     * @param voterUrl a node that is to vote while keys move
     */
    private Change change(Path folder, String url, String voterUrl, String... words)
            throws CommandException, IOException, InterruptedException {
        Path output = folder.resolve("change.out");
        List<String> command = new ArrayList<>(List.of(words));
        command.addFirst(ScratchFolder.quorate(home).toString());
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            long began = await(url, page -> page.contains(JOINT) || !process.isAlive());
            long voted = began;
            while (process.isAlive() && !votes(voterUrl)) {
                voted = SystemTicker.INSTANCE.nanos();
            }
            long ended = await(url, page -> !page.contains(JOINT) || !process.isAlive());
            if (process.waitFor() != 0) {
                throw new CommandException(Files.readString(output).strip());
            }
            return new Change(began, voted, ended);
        } finally {
            process.destroy();
        }
    }

    /** Polls the list of members, and returns the time at which it fulfils a condition. */
    private static long await(String url, Predicate<String> condition)
            throws CommandException, IOException {
        while (!condition.test(page(url, "/admin/members"))) {
            if (!Commands.sleepNanos(POLL_NANOS)) {
                throw new CommandException("interrupted");
            }
        }
        return SystemTicker.INSTANCE.nanos();
    }

    private static boolean votes(String url) throws CommandException, IOException {
        return Commands.sleepNanos(POLL_NANOS)
                && Node.parse(url, NodeAccess.NONE)
                                .ask("GET", "/readyz", null, TIMEOUT_MILLIS)
                                .status()
                        == 200;
    }

    static String page(String url, String path) throws CommandException, IOException {
        Node.Answer answer =
                Node.parse(url, NodeAccess.NONE).ask("GET", path, null, TIMEOUT_MILLIS);
        if (answer.status() != 200) {
            throw new CommandException(url + path + " answers " + answer.problem());
        }
        return answer.text();
    }

    /**
     * When the members changed, in nanoseconds.
     *
     * @param began when keys began to move
     * @param voted when the joining node began to vote
     * @param ended when no key moved any more
     */
    record Change(long began, long voted, long ended) {
        static final Change NONE = new Change(0, 0, 0);
    }

    /** A load and when it began, in nanoseconds. */
    record Window(long began, LoadResult result) {}

    /**
     * Consecutive loads.
     *
     * @param duration seconds of each
     * @param change the change of members meanwhile
     */
    record Windows(List<Window> windows, int duration, Change change) {

        /** Those that began when the joining node voted. */
        Windows voting() {
            List<Window> later =
                    windows.stream().filter(each -> each.began - change.voted >= 0).toList();
            return new Windows(later, duration, change);
        }

        double changeSeconds() {
            return (change.ended - change.began) / GIGA;
        }

        Stream<LoadResult> results() {
            return windows.stream().map(Window::result);
        }

        /** Answers within two seconds, except for errors. */
        long answers() {
            return results()
                    .mapToLong(each -> each.requests() - each.statusErrors() - each.socketErrors())
                    .sum();
        }

        /** The share of the requests that were due at a rate. */
        double served(int rate) {
            return (double) answers() / ((long) rate * duration * windows.size());
        }

        /** Answers per second. */
        double rate() {
            return answers()
                    / results()
                            .mapToDouble(each -> each.requests() / each.requestsPerSecond())
                            .sum();
        }

        /** NaN without a window. */
        double p99Millis() {
            if (windows.isEmpty()) {
                return Double.NaN;
            }
            Histogram all = new Histogram(3);
            results().forEach(each -> all.add(each.latency().micros()));
            return new Spectrum(all).millis(0.99);
        }
    }

    /** A figure that must be at least, or at most, a limit. */
    record Goal(String what, double value, boolean isLeast, double limit) {

        boolean isMet() {
            return isLeast ? value >= limit : value <= limit;
        }

        String text() {
            return String.format(
                    Locale.ROOT,
                    "%s: %.4f, %s (at %s %s)",
                    what,
                    value,
                    isMet() ? "met" : "missed",
                    isLeast ? "least" : "most",
                    limit);
        }
    }
}
