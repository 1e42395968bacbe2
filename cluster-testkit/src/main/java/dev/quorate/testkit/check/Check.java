package dev.quorate.testkit.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.local.Commands;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.runtime.Units;
import dev.quorate.testkit.history.Promise;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code ./quorate check}: checks a real cluster under load and faults.
 *
 * <p>Exit status: 0 if every promise was kept; 1 if one was broken, or a node ended by itself or
 * did not return; 2 if nothing could be checked.
 */
@Command(
        name = "quorate check",
        sortOptions = false,
        description = {
            "Reads and writes a real cluster while its nodes are killed, paused and partitioned,",
            "and checks the answers. Many writes are conditional; those with an unknown outcome",
            "are sent again under their version. Without an address it starts a cluster of its",
            "own, and deletes it at the end.",
            "Exit status: 0 if the promise was kept, 1 if not, 2 if nothing could be checked."
        })
public final class Check implements Callable<Integer> {

    private static final int USUAL_REPLICAS = 3;

    /** Fits the launcher's heap of 1 GiB: an operation takes about 330 bytes. */
    private static final long MAX_OPERATIONS = 1_500_000;

    private static final Duration READY_LIMIT = Duration.ofSeconds(60);

    private final PrintStream out;
    private final PrintStream err;

    @Parameters(
            paramLabel = "URL",
            arity = "0..*",
            description =
                    "Nodes of a running cluster, such as http://localhost:8080. It gets no faults,"
                            + " and the keys of the check are deleted at the end.")
    private List<String> urls = new ArrayList<>();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Checks the cluster of ./quorate up in this folder; leaves it running.")
    private @Nullable Path data;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Number of nodes of the cluster that the check starts. Default: 3.")
    private @Nullable Integer nodes;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            description = "Time clients work, such as 5m or 60 (s). Default: ${DEFAULT-VALUE}.")
    private String duration = "60s";

    @Option(
            names = "--faults",
            paramLabel = "KINDS",
            description =
                    "Any of kill,pause,partition,strangers, or all, or none. Default: all that the"
                            + " cluster supports. Partitions need a cluster that the check starts;"
                            + " a cluster named by URLs gets no faults.")
    private @Nullable String faults;

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "Clients, each with one request at a time. Default: ${DEFAULT-VALUE}.")
    private int clients = 16;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Maximum requests a second of all clients. Default: ${DEFAULT-VALUE}.")
    private int rate = 500;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Number of keys that clients share at a time. Default: ${DEFAULT-VALUE}.")
    private int keys = 8;

    @Option(
            names = "--from",
            paramLabel = "N",
            description = "Replicas of a key. Default: 3, or the number of nodes if smaller.")
    private @Nullable Integer from;

    @Option(
            names = "--promise",
            paramLabel = "P",
            description =
                    "quorum or monotonic, which the cluster always promises, or linearizable, which"
                            + " each request then asks for. Only linearizable checks conditional"
                            + " writes in full. Default: ${DEFAULT-VALUE}.")
    private String promise = "quorum";

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of requests and faults. Default: a new one.")
    private @Nullable Long seed;

    @Option(
            names = "--history",
            paramLabel = "FILE",
            description = "Writes the operations of clients and their answers, one a line.")
    private @Nullable Path history;

    @Option(
            names = "--jepsen",
            paramLabel = "FILE",
            description = "Writes the same in the form that Jepsen's checkers read.")
    private @Nullable Path jepsen;

    @Option(names = "--story", description = "Prints the injected faults.")
    private boolean story;

    Check(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.removeFirst(); // the command's name
        System.exit(execute(System.out, System.err, words.toArray(String[]::new)));
    }

    static int execute(PrintStream out, PrintStream err, String... words) {
        return commandLine(out, err).execute(words);
    }

    public static CommandLine commandLine(PrintStream out, PrintStream err) {
        CommandLine commandLine = new CommandLine(new Check(out, err));
        commandLine.getCommandSpec().addOption(Commands.help());
        commandLine
                .setOut(new PrintWriter(out, true, UTF_8))
                .setErr(new PrintWriter(err, true, UTF_8));
        return Commands.explained(commandLine);
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            validate();
            var _ = promise();
            Set<FaultKind> wanted = faults();
            try (Cluster cluster = cluster(wanted)) {
                return check(cluster, options(cluster, wanted));
            }
        } catch (CommandFailure e) {
            err.println(e.getMessage());
        } catch (IOException e) {
            err.println("Not checked: " + e.getMessage());
        }
        return CheckRun.UNCHECKED;
    }

    /** Runs the check. A shutdown hook restores the cluster if this process is interrupted. */
    private int check(Cluster cluster, CheckRun.CheckOptions options)
            throws IOException, InterruptedException {
        try (CheckRun run = new CheckRun(cluster, options, SystemTicker.INSTANCE, out)) {
            Thread undo =
                    new Thread(
                            () -> {
                                run.interrupt();
                                cluster.close();
                            },
                            "undo");
            Runtime.getRuntime().addShutdownHook(undo);
            try {
                int exit = run.run();
                if (exit != CheckRun.BROKEN) {
                    run.deleteKeys();
                }
                return exit;
            } finally {
                try {
                    Runtime.getRuntime().removeShutdownHook(undo);
                } catch (IllegalStateException e) {
                    // The hook is running.
                }
            }
        }
    }

    private void validate() throws CommandFailure {
        require(urls.isEmpty() || data == null, "Addresses and --data name two clusters.");
        require(
                nodes == null || (urls.isEmpty() && data == null),
                "--nodes is only for a cluster that the check starts.");
        int atMost = urls.isEmpty() && data == null ? ownNodes() : 64;
        for (Optional<String> violation :
                List.of(
                        range("--nodes", nodes, 16),
                        range("--clients", clients, 1_000),
                        range("--from", from, atMost),
                        range("--keys", keys, 10_000),
                        range("--rate", rate, 100_000))) {
            require(violation.isEmpty(), violation.orElse(""));
        }
        double operations = duration().toMillis() / 1_000.0 * rate;
        require(
                operations <= MAX_OPERATIONS,
                ("%s at %d a second are %.0f operations, and %d can be checked: lower --rate or"
                                + " --duration.")
                        .formatted(duration, rate, operations, MAX_OPERATIONS));
    }

    private static Optional<String> range(String option, @Nullable Integer value, int most) {
        return value == null ? Optional.empty() : Commands.violation(option, value, 1, most);
    }

    private static void require(boolean holds, String otherwise) throws CommandFailure {
        if (!holds) {
            throw CommandFailure.usage(otherwise);
        }
    }

    private Duration duration() throws CommandFailure {
        try {
            return Duration.ofMillis(
                    Units.DURATION.parse(duration, 1_000, Duration.ofDays(365).toMillis(), "s"));
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--duration=%s: %s.".formatted(duration, e.getMessage()));
        }
    }

    /** The faults of the option, or all that the cluster supports. */
    private Set<FaultKind> faults() throws CommandFailure {
        boolean isForeign = !urls.isEmpty();
        boolean isUp = data != null;
        if (faults == null) {
            return isForeign ? Set.of() : isUp ? FaultKind.withoutRelays() : FaultKind.all();
        }
        Set<FaultKind> wanted = FaultKind.parse(faults);
        if (wanted == null) {
            throw CommandFailure.usage(
                    "--faults must be any of kill,pause,partition,strangers, or all, or none, not '%s'."
                            .formatted(faults));
        }
        require(
                !isForeign || wanted.isEmpty(),
                "A cluster named by URLs gets no faults. Omit --faults, or name a cluster of"
                        + " ./quorate up with --data, or let the check start a cluster.");
        require(
                !isUp || !wanted.contains(FaultKind.PARTITION),
                "The nodes of ./quorate up reach each other directly, so a check cannot partition"
                        + " them. Use --faults kill,pause,strangers, or omit --data.");
        return wanted;
    }

    private Cluster cluster(Set<FaultKind> wanted) throws CommandFailure, IOException {
        if (!urls.isEmpty()) {
            return new ForeignCluster(
                    addresses().stream().map(URI::getAuthority).distinct().toList());
        }
        Path folder = data;
        if (folder != null) {
            return LocalProcesses.up(folder);
        }
        require(
                ownNodes() > 1 || !wanted.contains(FaultKind.PARTITION) || faults == null,
                "--faults partition needs more than one node.");
        return LocalProcesses.own(ownNodes());
    }

    private int ownNodes() {
        return nodes == null ? USUAL_REPLICAS : nodes;
    }

    private List<URI> addresses() throws CommandFailure {
        List<URI> addresses = new ArrayList<>();
        for (String text : urls) {
            URI url;
            try {
                url = new URI(text);
            } catch (URISyntaxException e) {
                throw CommandFailure.usage("'" + text + "' is not an address.");
            }
            require(
                    "http".equals(url.getScheme()) && url.getHost() != null,
                    "An address is written http://host:port, not '" + text + "'.");
            require(!addresses.contains(url), "The address " + text + " is given twice.");
            addresses.add(url);
        }
        return addresses;
    }

    private CheckRun.CheckOptions options(Cluster cluster, Set<FaultKind> wanted)
            throws CommandFailure {
        int replicas = from == null ? Math.min(USUAL_REPLICAS, cluster.nodes().size()) : from;
        return new CheckRun.CheckOptions(
                duration(),
                wanted,
                clients,
                rate,
                keys,
                replicas,
                promise(),
                seed == null ? SystemTicker.INSTANCE.nanos() : seed,
                history,
                jepsen,
                story,
                READY_LIMIT);
    }

    private Promise promise() throws CommandFailure {
        return switch (promise) {
            case "quorum" -> Promise.QUORUM;
            case "monotonic" -> Promise.MONOTONIC;
            case "linearizable" -> Promise.LINEARIZABLE;
            default ->
                    throw CommandFailure.usage(
                            "--promise must be quorum, monotonic or linearizable, not '%s'."
                                    .formatted(promise));
        };
    }

    /**
     * A running cluster that the check did not start and does not change.
     *
     * @param nodes the hosts of the nodes with their ports
     */
    record ForeignCluster(List<String> nodes) implements Cluster {

        @Override
        public URI url(String node) {
            return URI.create("http://" + node);
        }
    }
}
