package dev.quorate.loadtest;

import static dev.quorate.harness.OptionRange.violation;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.harness.Command;
import dev.quorate.harness.CommandException;
import dev.quorate.harness.NodeClient;
import dev.quorate.loadtest.bench.BenchCase;
import dev.quorate.loadtest.bench.BenchPlan;
import dev.quorate.loadtest.bench.BenchResult;
import dev.quorate.loadtest.bench.ClusterBenchmark;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.bench.Profiler;
import dev.quorate.loadtest.bench.StandardPlan;
import dev.quorate.loadtest.beside.BesidePlan;
import dev.quorate.loadtest.beside.OtherStore;
import dev.quorate.loadtest.conditional.ConditionalPlan;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.profile.NodeProfiler;
import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.profile.ProfilerLibrary;
import dev.quorate.loadtest.wrk.Wrk;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench cluster}: what clusters on this machine can do, over what the same node
 * can answer without doing anything.
 *
 * <p>Exit status: 0 if everything was measured; 1 if a cluster did not start, or a case has no
 * figure since a single answer was not the right one; 2 if the arguments make no sense or wrk is
 * not installed.
 */
@CommandLine.Command(
        name = "cluster",
        description = "Measures one node, and three through one of them, on this machine.")
public final class ClusterBench implements Callable<Integer> {

    private static final int FIRST_PORT = 18_080;
    private static final int MAX_KEYS = 10_000_000;
    private static final int MAX_VALUE_BYTES = 65_536;
    private static final int MAX_CONNECTIONS = 10_000;
    private static final int MAX_RATE = 1_000_000;
    private static final BesidePlan.Pace THOROUGH_BESIDE = new BesidePlan.Pace(10, 8, 5);
    private static final BesidePlan.Pace QUICK_BESIDE = new BesidePlan.Pace(3, 3, 3);
    private static final ConditionalPlan.Pace THOROUGH_CONDITIONAL =
            new ConditionalPlan.Pace(5, 5, 5);
    private static final ConditionalPlan.Pace QUICK_CONDITIONAL = new ConditionalPlan.Pace(3, 3, 3);

    private static final String NEEDS_WRK =
            "needs wrk, which is not on the PATH; on Debian, 'apt install wrk' brings" + " it.";

    private final Map<String, String> environment;
    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @Option(
            names = "--quick",
            description =
                    "Shorter runs, fewer keys and, without --cases, no variations: less certain,"
                            + " and over in three minutes.")
    private boolean quick;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            split = ",",
            description = "How many nodes: a cluster for each number. The default is 1,3.")
    private List<Integer> nodes = List.of(1, 3);

    @Option(
            names = "--cases",
            paramLabel = "PATTERN",
            description =
                    "Only cases of such a name, and what they are compared to; * stands for"
                            + " anything. Can be given again.")
    private List<String> patterns = List.of();

    @Option(
            names = "--profile",
            paramLabel = "KIND",
            description =
                    "Profiles every node during the runs that count: cpu, alloc or lock. Writes"
                            + " flame graphs and stacks into a new folder in .quorate.")
    private @Nullable ProfileKind profile;

    @Option(
            names = "--plan",
            description = "Prints the names of the cases and how long they take, and ends.")
    private boolean planOnly;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes the figures there too, an object for each.")
    private @Nullable Path json;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Requests under way at any time. The default is ${DEFAULT-VALUE}.")
    private int connections = 64;

    @Option(
            names = "--value-bytes",
            paramLabel = "N",
            description = "The size of a value. The default is ${DEFAULT-VALUE}.")
    private int valueBytes = 100;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description =
                    "Keys that are there. The default is 100000, with --quick 10000; fewer of"
                            + " large values, which are 128 MiB at most.")
    private @Nullable Integer keys;

    @Option(
            names = "--beside",
            arity = "2",
            paramLabel = "STORE URL",
            hideParamSyntax = true,
            description =
                    "Instead of all that: the same load for Quorate and for another store that runs,"
                            + " etcd http://host:2379 or redis redis://host:6379, by turns. Its keys"
                            + " that begin with bench- are overwritten, and stay.")
    private List<String> beside = List.of();

    @Option(
            names = "--conditional",
            description =
                    "Instead of all that: conditional PUTs beside plain and linearizable ones, and"
                            + " increments of one key by clients that compete; with --beside etcd"
                            + " URL those of an etcd too.")
    private boolean conditional;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "Requests a second, for --beside. The default is as many as are answered.")
    private @Nullable Integer rate;

    @CommandLine.Mixin private final ClusterOptions where = new ClusterOptions(FIRST_PORT);

    ClusterBench(Map<String, String> environment, Path home, PrintStream out, PrintStream err) {
        this.environment = environment;
        this.home = home;
        this.out = out;
        this.err = err;
    }

    /** All of {@code ./quorate bench}. */
    static CommandLine commandLine(
            Map<String, String> environment, Path home, PrintStream out, PrintStream err) {
        CommandLine.Model.CommandSpec root = CommandLine.Model.CommandSpec.create();
        root.name("quorate bench");
        root.usageMessage().description("Measures Quorate.");
        root.addOption(
                CommandLine.Model.OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Prints this.")
                        .build());
        CommandLine commandLine = new CommandLine(root);
        commandLine.addSubcommand(new ClusterBench(environment, home, out, err));
        commandLine.addSubcommand(new EngineBench(home, out, err));
        commandLine.addSubcommand(new WarmUpBench(home, out, err));
        commandLine.addSubcommand(new PairsBench(home, out, err));
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setOut(new java.io.PrintWriter(out, true, UTF_8));
        commandLine.setErr(new java.io.PrintWriter(err, true, UTF_8));
        return commandLine;
    }

    @Override
    public Integer call() {
        Optional<String> complaint = firstComplaint();
        if (complaint.isPresent()) {
            return BenchOutcome.cannotBegin(err, complaint.get());
        }
        if (conditional) {
            return conditional();
        }
        if (!beside.isEmpty()) {
            return beside();
        }
        return standard();
    }

    private int beside() {
        List<BesidePlan.Case> all = BesidePlan.cases(nodes);
        BesidePlan plan =
                new BesidePlan(
                                all,
                                Load.Clients.of(connections),
                                rate == null ? 0 : rate,
                                keyCount(),
                                valueBytes,
                                quick ? QUICK_BESIDE : THOROUGH_BESIDE)
                        .only(each -> isChosen(each.name()));
        OtherStore.Kind kind = otherKind().orElseThrow();
        return attempt(
                all.stream().map(BesidePlan.Case::name).toList(),
                plan.cases().stream().map(BesidePlan.Case::name).toList(),
                plan.expected(),
                () ->
                        new BesideRun(home, where, out, err)
                                .measure(plan, kind, beside.get(1), Optional.ofNullable(json)));
    }

    private int conditional() {
        List<ConditionalPlan.Case> all = new ArrayList<>(ConditionalPlan.ours());
        if (!beside.isEmpty()) {
            all.addAll(ConditionalPlan.etcd());
        }
        ConditionalPlan plan =
                new ConditionalPlan(
                                all, valueBytes, quick ? QUICK_CONDITIONAL : THOROUGH_CONDITIONAL)
                        .only(each -> isChosen(each.name()));
        return attempt(
                all.stream().map(ConditionalPlan.Case::name).toList(),
                plan.cases().stream().map(ConditionalPlan.Case::name).toList(),
                plan.expected(),
                () ->
                        new ConditionalRun(home, where, out, err)
                                .measure(
                                        plan,
                                        beside.stream().skip(1).findFirst(),
                                        Optional.ofNullable(json)));
    }

    private Optional<String> conditionalComplaint() {
        return conditional
                        && !beside.isEmpty()
                        && !otherKind().equals(Optional.of(OtherStore.Kind.ETCD))
                ? Optional.of("--conditional knows etcd alone beside Quorate.")
                : Optional.empty();
    }

    private Optional<OtherStore.Kind> otherKind() {
        return Arrays.stream(OtherStore.Kind.values())
                .filter(kind -> kind.name().equalsIgnoreCase(beside.getFirst()))
                .findFirst();
    }

    private Optional<String> besideComplaint() {
        if (beside.isEmpty()) {
            return Optional.empty();
        }
        if (beside.size() > 2) {
            return Optional.of("--beside can be given once.");
        }
        if (otherKind().isEmpty()) {
            return Optional.of("--beside knows etcd and redis, not '" + beside.getFirst() + "'.");
        }
        return Optional.empty();
    }

    /** Prints what is planned, or does it. */
    private int attempt(
            List<String> all,
            List<String> chosen,
            Duration expected,
            BenchOutcome.Measurement measurement) {
        Optional<String> unknown = firstUnknown(all);
        if (unknown.isPresent()) {
            return BenchOutcome.cannotBegin(
                    err, "no case is called '%s'; see --plan.".formatted(unknown.get()));
        }
        if (planOnly) {
            chosen.forEach(out::println);
            out.println(length(chosen.size(), expected));
            return 0;
        }
        err.println(length(chosen.size(), expected));
        return BenchOutcome.of(err, Optional.empty(), json, measurement);
    }

    private int standard() {
        String path = environment.getOrDefault("PATH", "");
        Optional<Path> wrk2 = Command.find("wrk2", path);
        Optional<String> unknown =
                firstUnknown(
                        everything(wrk2.isPresent()).cases().stream()
                                .map(BenchCase::name)
                                .toList());
        if (unknown.isPresent()) {
            return BenchOutcome.cannotBegin(
                    err,
                    "no case is called '%s'; see --plan.%s"
                            .formatted(
                                    unknown.get(),
                                    wrk2.isPresent()
                                            ? ""
                                            : " (Without wrk2 on the PATH there are no fixed"
                                                    + " rates.)"));
        }
        BenchPlan plan = plan(wrk2.isPresent());
        if (planOnly) {
            plan.cases().forEach(each -> out.println(each.name()));
            out.println(length(plan));
            return 0;
        }
        Optional<Path> wrk = Command.find("wrk", path);
        if (wrk.isEmpty()) {
            return BenchOutcome.cannotBegin(err, NEEDS_WRK);
        }
        return BenchOutcome.of(err, Optional.empty(), json, () -> measure(plan, wrk.get(), wrk2));
    }

    private Optional<String> firstComplaint() {
        Optional<String> complaint = where.complaint(home);
        if (complaint.isPresent()) {
            return complaint;
        }
        if (profile != null && ModuleLayer.boot().findModule("jdk.attach").isEmpty()) {
            return Optional.of("--profile needs a JDK, and this Java is none.");
        }
        return nodes.stream()
                .flatMap(count -> violation("--nodes", count, 1, StandardPlan.MAX_NODES).stream())
                .findFirst()
                .or(() -> violation("--connections", connections, 2, MAX_CONNECTIONS))
                .or(() -> violation("--value-bytes", valueBytes, 0, MAX_VALUE_BYTES))
                .or(() -> violation("--keys", keyCount(), 2, MAX_KEYS))
                .or(() -> violation("--rate", rate == null ? 1 : rate, 1, MAX_RATE))
                .or(this::besideComplaint)
                .or(this::conditionalComplaint);
    }

    /** All that is measured without {@code --cases}, and with it all that can be chosen. */
    private BenchPlan everything(boolean hasRates) {
        boolean varies = !quick || !patterns.isEmpty();
        return new StandardPlan(connections, valueBytes, varies, hasRates)
                .plan(nodes, pace(), keyCount());
    }

    private BenchPlan plan(boolean hasRates) {
        return everything(hasRates).only(each -> isChosen(each.name()));
    }

    private boolean isChosen(String name) {
        return patterns.isEmpty() || patterns.stream().anyMatch(p -> Names.matches(p, name));
    }

    private Optional<String> firstUnknown(List<String> names) {
        return patterns.stream()
                .filter(pattern -> names.stream().noneMatch(name -> Names.matches(pattern, name)))
                .findFirst();
    }

    private BenchPlan.Pace pace() {
        return quick ? BenchPlan.QUICK : BenchPlan.THOROUGH;
    }

    private static String length(BenchPlan plan) {
        return length(plan.cases().size(), plan.expected());
    }

    private static String length(int cases, Duration expected) {
        return "%d cases, about %s.".formatted(cases, minutes(expected));
    }

    private static String minutes(Duration duration) {
        return "%d:%02d minutes".formatted(duration.toMinutes(), duration.toSecondsPart());
    }

    private int keyCount() {
        if (keys != null) {
            return keys;
        }
        return quick ? 10_000 : 100_000;
    }

    /** Whether all cases have a figure. */
    private boolean measure(BenchPlan plan, Path program, Optional<Path> wrk2)
            throws IOException, CommandException {
        Optional<Path> profiles =
                profile == null ? Optional.empty() : Optional.of(where.newFolder(home, "profile-"));
        try (ScratchFolder scratch = where.scratch(home, "bench-");
                NodeClient client = new NodeClient()) {
            Profiler profiler = profiler(profiles, scratch.path());
            Wrk wrk = new Wrk(program, wrk2, scratch.path());
            err.println(length(plan));
            if (wrk2.isEmpty()) {
                err.println("wrk2 is not on the PATH: no latencies at fixed rates.");
            }
            long started = System.nanoTime();
            BenchResult result =
                    new ClusterBenchmark(
                                    count -> scratch.running(count, where.port()),
                                    wrk,
                                    Probe.of(client),
                                    profiler,
                                    err::println)
                            .run(plan);
            err.println("It took " + minutes(Duration.ofNanos(System.nanoTime() - started)) + ".");
            BenchReport report = new BenchReport(result);
            out.println(circumstances(wrk, wrk2, scratch.path()));
            out.println();
            out.print(report.table());
            if (json != null) {
                Files.writeString(json, report.json(), UTF_8);
            }
            profiles.ifPresent(folder -> out.printf("%nProfiles are in %s%n", folder));
            return result.refusals().isEmpty();
        }
    }

    private Profiler profiler(Optional<Path> profiles, Path scratch)
            throws IOException, CommandException {
        if (profile == null || profiles.isEmpty()) {
            return Profiler.NONE;
        }
        Optional<Path> library = ProfilerLibrary.extract(scratch);
        return new NodeProfiler(profile, profiles.get(), library, scratch, err::println);
    }

    /** What a reader needs to know to believe the figures, or not to. */
    private String circumstances(Wrk wrk, Optional<Path> wrk2, Path scratch)
            throws IOException, CommandException {
        return ("%d processors for the nodes and %s together, Java %s, data on %s.%n"
                        + "%d keys, values of %d bytes, %d connections to one node, unless the name"
                        + " says otherwise. Medians of %d runs of %d s after %d s%s.%n%s")
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        wrk.version(),
                        Runtime.version(),
                        Files.getFileStore(scratch).type(),
                        keyCount(),
                        valueBytes,
                        connections,
                        pace().runs(),
                        pace().runSeconds(),
                        pace().warmUpSeconds(),
                        pace().besideSeconds() == 0 || profile != null
                                ? ""
                                : ", each beside %d s of the static answer, to which it is compared"
                                        .formatted(pace().besideSeconds()),
                        wrk2.isPresent()
                                ? "Fixed rates are sent by wrk2, medians there by p99."
                                : "No fixed rates: wrk2 is not on the PATH.")
                .concat(profile == null ? "" : " Profiled, which costs something.");
    }
}
