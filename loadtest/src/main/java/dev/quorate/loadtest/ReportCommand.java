package dev.quorate.loadtest;

import static dev.quorate.cli.local.Commands.violation;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import dev.quorate.loadtest.profile.NodeProfiler;
import dev.quorate.loadtest.profile.NodeProfiler.ProfileKind;
import dev.quorate.loadtest.profile.NodeProfiler.ProfilerLibrary;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Scenario;
import dev.quorate.loadtest.report.publish.ReportFolder;
import dev.quorate.loadtest.scenario.Limits;
import dev.quorate.loadtest.scenario.LoadPace;
import dev.quorate.loadtest.scenario.LoadTarget;
import dev.quorate.loadtest.scenario.ReportDraft;
import dev.quorate.loadtest.scenario.ReportRun;
import dev.quorate.loadtest.scenario.ReportRun.RunningCluster;
import dev.quorate.loadtest.scenario.ScenarioSet;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate report}: measures scenarios and writes a report to a folder.
 *
 * <p>Exit status: 0 if the report is complete; 1 if it is incomplete or missing; 2 if the arguments
 * are invalid.
 */
@CommandLine.Command(
        name = "report",
        description =
                "Measures a cluster and writes a report: tables, percentiles and flame graphs.")
public final class ReportCommand implements Callable<Integer> {

    private static final int INCOMPLETE = 1;
    private static final int CANNOT_BEGIN = 2;
    private static final double PERCENT = 100;
    private static final double GIB = 1L << 30;

    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @Option(names = "--quick", description = "Two scenarios and shorter runs: takes three minutes.")
    private boolean quick;

    @Option(
            names = "--set",
            paramLabel = "SET",
            description =
                    "one: a node by itself. sharded: three nodes, 1/1. quorum: three nodes, 2/3, the"
                            + " default.")
    private ScenarioSet set = ScenarioSet.QUORUM;

    @Option(
            names = "--scenarios",
            paramLabel = "PATTERN",
            split = ",",
            description = "Only scenarios with a matching name; * matches any text.")
    private List<String> patterns = List.of();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "The folder for the report. Default: a new one in .quorate.")
    private @Nullable Path folder;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "A node of a running cluster, which gets keys that begin with bench- and is not"
                            + " profiled. Default: to start a cluster.")
    private @Nullable String url;

    @Option(
            names = "--api",
            paramLabel = "API",
            description =
                    "API of the server at --url: replicas (?replicas=2/3, the default) or ack-from"
                            + " (?ack=2&from=3).")
    private String api = "replicas";

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Number of stored keys. Default: 100000, with --quick 10000.")
    private @Nullable Integer keys;

    @Option(
            names = "--p99-limit-millis",
            paramLabel = "N",
            description = "Maximum p99 of a sustainable rate. Default: ${DEFAULT-VALUE}.")
    private int p99LimitMillis = 25;

    @Option(
            names = "--share",
            paramLabel = "PERCENT",
            description = "Percentage of the breaking point to run at. Default: ${DEFAULT-VALUE}.")
    private int share = 70;

    @Option(names = "--no-profile", description = "Makes no flame graphs.")
    private boolean noProfile;

    @Option(names = "--plan", description = "Prints the scenarios and their duration only.")
    private boolean planOnly;

    @CommandLine.Mixin private final ClusterOptions where = new ClusterOptions(18_480);

    ReportCommand(Path home, PrintStream out, PrintStream err) {
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() throws IOException {
        Optional<String> complaint =
                (url == null ? where.complaint(home) : Optional.<String>empty())
                        .or(() -> violation("--keys", keyCount(), 1_000, 10_000_000))
                        .or(() -> violation("--p99-limit-millis", p99LimitMillis, 1, 60_000))
                        .or(() -> violation("--share", share, 1, (int) PERCENT))
                        .or(this::apiComplaint)
                        .or(this::urlComplaint)
                        .or(this::patternComplaint);
        if (complaint.isPresent()) {
            err.println(complaint.get());
            return CANNOT_BEGIN;
        }
        List<Scenario> scenarios = scenarios();
        if (planOnly) {
            scenarios.forEach(each -> out.println(each.name() + ": " + each.title()));
            out.println(length(scenarios));
            return 0;
        }
        try (ScratchFolder scratch = where.scratch(home, "report-scratch-")) {
            return report(scenarios, scratch) ? 0 : INCOMPLETE;
        } catch (CommandException e) {
            err.println(e.getMessage());
            return INCOMPLETE;
        }
    }

    private Optional<String> apiComplaint() {
        return List.of("replicas", "ack-from").contains(api)
                ? Optional.empty()
                : Optional.of("--api must be replicas or ack-from, but is '" + api + "'.");
    }

    private Load.Api asked() {
        return Load.Api.valueOf(api.replace('-', '_').toUpperCase(Locale.ROOT));
    }

    private Optional<String> urlComplaint() {
        return url == null || url.matches("http://[^/?#]+/?")
                ? Optional.empty()
                : Optional.of("--url must be http://HOST:PORT, but is '" + url + "'.");
    }

    private Optional<String> patternComplaint() {
        return patterns.stream()
                .filter(pattern -> all().stream().noneMatch(each -> matches(pattern, each.name())))
                .findFirst()
                .map(pattern -> "no scenario is called '" + pattern + "'; see --plan.");
    }

    private List<Scenario> all() {
        List<Scenario> chosen = quick && patterns.isEmpty() ? set.quick() : set.all();
        return chosen.stream().filter(each -> url == null || !each.startsFresh()).toList();
    }

    private List<Scenario> scenarios() {
        return all().stream()
                .filter(
                        each ->
                                patterns.isEmpty()
                                        || patterns.stream().anyMatch(p -> matches(p, each.name())))
                .toList();
    }

    /** Whether a pattern, in which * matches any text, matches a name; ignores case. */
    private static boolean matches(String pattern, String name) {
        String regex = "\\Q" + pattern.replace("*", "\\E.*\\Q") + "\\E";
        return Pattern.compile(regex, Pattern.CASE_INSENSITIVE).matcher(name).matches();
    }

    private LoadPace pace() {
        return quick ? LoadPace.QUICK : LoadPace.FULL;
    }

    private int keyCount() {
        return keys != null ? keys : quick ? 10_000 : 100_000;
    }

    private boolean canProfile() {
        return url == null
                && !noProfile
                && ProfilerLibrary.isAvailable()
                && ModuleLayer.boot().findModule("jdk.attach").isPresent();
    }

    private String length(List<Scenario> scenarios) {
        long clusters = scenarios.stream().map(Scenario::nodes).distinct().count();
        Duration expected =
                scenarios.stream()
                        .map(each -> pace().expected(each, canProfile()))
                        .reduce(pace().expectedStart().multipliedBy(clusters), Duration::plus);
        return "%d scenarios, about %d:%02d minutes."
                .formatted(scenarios.size(), expected.toMinutes(), expected.toSecondsPart());
    }

    /** Measures and writes the report. Returns whether it is complete. */
    private boolean report(List<Scenario> scenarios, ScratchFolder scratch)
            throws IOException, CommandException {
        Path target = folder != null ? folder : where.scratch(home, "report-").path();
        ReportFolder written = ReportFolder.create(target);
        ReportDraft draft =
                new ReportDraft(
                        title(), Instant.now(), circumstances(scratch.path()), scenarios, notes());
        err.println(length(scenarios));
        ReportRun run =
                new ReportRun(
                        new Means(scratch, written.flames()),
                        new OpenLoopGenerator(),
                        pace(),
                        new Limits(p99LimitMillis, share / PERCENT),
                        draft,
                        err::println);
        AtomicBoolean isWritten = new AtomicBoolean();
        Thread hook = new Thread(() -> write(draft, written, isWritten), "write-report");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            run.measure(scenarios);
        } catch (CommandException e) {
            err.println(e.getMessage());
        }
        boolean isWhole = write(draft, written, isWritten);
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return false; // interrupted
        }
        return isWhole;
    }

    /** Writes the results so far, once. Returns whether the report is complete. */
    private boolean write(ReportDraft draft, ReportFolder written, AtomicBoolean isWritten) {
        if (!isWritten.compareAndSet(false, true)) {
            return false;
        }
        Optional<Report> report = draft.report();
        try {
            if (report.isEmpty()) {
                err.println("Nothing was measured, so no report was written.");
                written.discard();
                return false;
            }
            Report whole = report.get();
            written.write(whole);
            whole.missing().forEach(err::println);
            out.println("The report is " + written.text());
            return whole.missing().isEmpty()
                    && whole.scenarios().stream().allMatch(each -> each.refusal() == null);
        } catch (CommandException e) {
            err.println(e.getMessage());
            return false;
        }
    }

    private String title() {
        return "Load report: " + set.title() + (url == null ? "" : ", " + url);
    }

    private List<String> notes() {
        return url == null && !noProfile && !canProfile()
                ? List.of("No flame graphs: they need a JDK on Linux or macOS.")
                : List.of();
    }

    /** The machine and the method. */
    private Map<String, String> circumstances(Path data) throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        int processors = Runtime.getRuntime().availableProcessors();
        if (url == null) {
            all.put("Cluster", "started for this report, without data before");
            all.put("Data on", Files.getFileStore(data).type());
            all.put("Heap of a node", System.getenv().getOrDefault("QUORATE_HEAP", "128m"));
            all.put("Processors", processors + ", for the nodes and the load generator together");
        } else {
            all.put("Cluster", url);
            all.put("Processors", processors + ", for the load generator");
        }
        if (ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system) {
            all.put(
                    "Memory",
                    String.format(Locale.ROOT, "%.1f GiB", system.getTotalMemorySize() / GIB));
        }
        all.put(
                "System",
                "%s %s, %s"
                        .formatted(
                                System.getProperty("os.name"),
                                System.getProperty("os.version"),
                                System.getProperty("os.arch")));
        all.put("Java", Runtime.version().toString());
        all.put("Load generator", "Quorate's open loop");
        all.put("Keys", Integer.toString(keyCount()));
        all.put("A rate holds", "up to a 99th percentile of " + p99LimitMillis + " ms");
        all.put("Scenarios run", "at " + share + " % of their breaking point");
        all.put(
                "Runs",
                "%d of %d s, each with as long a run of the static answer"
                        .formatted(pace().runs(), pace().runSeconds()));
        return all;
    }

    /** Clusters on this machine, or the running cluster of {@code --url}. */
    private final class Means implements ReportRun.Means {

        private final ScratchFolder scratch;
        private final Path flames;

        Means(ScratchFolder scratch, Path flames) {
            this.scratch = scratch;
            this.flames = flames;
        }

        @Override
        public RunningCluster start(int nodes) throws CommandException {
            return url != null
                    ? new RunningCluster(url.replaceFirst("/$", ""), Map.of(), () -> {})
                    : scratch.running(nodes, where.port());
        }

        @Override
        public LoadTarget target(RunningCluster cluster) {
            return new LoadTarget(cluster.url(), asked(), keyCount());
        }

        @Override
        public String fillReplicas(Scenario scenario) {
            return url != null ? scenario.replicas() : scenario.nodes() + "/" + scenario.nodes();
        }

        @Override
        public NodeProfiler profiler(ProfileKind kind) throws CommandException {
            try {
                Path library =
                        ProfilerLibrary.extract(scratch.path())
                                .orElseThrow(() -> new IOException("no library for this system"));
                return new NodeProfiler(kind, flames, library);
            } catch (IOException e) {
                throw new CommandException("The profiler cannot be written: " + e.getMessage(), e);
            }
        }

        @Override
        public boolean canProfile() {
            return ReportCommand.this.canProfile();
        }
    }
}
