package dev.quorate.cli.local;

import dev.quorate.node.http.Percent;
import dev.quorate.node.runtime.Ticker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/**
 * The commands {@code up}, {@code down}, {@code kill}, {@code stop}, {@code start}, {@code
 * restart}, {@code repair}, {@code why} and {@code logs}. Exit codes: 0, or 1 with one sentence
 * that states the reason; those of {@code why} are its own.
 */
public final class LocalCommands {

    private static final String DEFAULT_DATA = ".quorate";
    private static final int LOG_LINES = 20;
    private static final int MAX_LOG_LINES = 1_000;

    private final List<String> nodeCommand;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final InputStream in;
    private final Map<String, String> environment;

    /**
     * The commands.
     *
     * @param nodeCommand what follows Java's own flags to start a node: class path, main class and
     *     first words
     * @param random makes the secret: must be one that cannot be guessed
     * @param in what is typed
     * @param environment may have a token
     */
    public LocalCommands(
            List<String> nodeCommand,
            Ticker ticker,
            RandomGenerator random,
            InputStream in,
            Map<String, String> environment) {
        this.nodeCommand = List.copyOf(nodeCommand);
        this.ticker = ticker;
        this.random = random;
        this.in = in;
        this.environment = Map.copyOf(environment);
    }

    /** Adds the commands to the command line. */
    public void addTo(CommandLine commandLine) {
        add(commandLine, up());
        add(commandLine, command("down", "Stops a local cluster.", LocalCluster::down));
        add(commandLine, nodeVerb("kill", "Kills a node, as a crash would.", LocalCluster::kill));
        add(commandLine, nodeVerb("stop", "Stops a node gracefully.", LocalCluster::stop));
        add(commandLine, nodeVerb("start", "Starts a node again.", LocalCluster::start));
        add(commandLine, restart());
        add(commandLine, repair());
        add(commandLine, why());
        add(commandLine, logs());
    }

    private static void add(CommandLine commandLine, CommandSpec spec) {
        commandLine.addSubcommand(spec.name(), new CommandLine(spec));
    }

    /** What a command does with the cluster that {@code --data} names. */
    private interface Verb {
        void act(LocalCluster cluster) throws IOException, LocalFailure, InterruptedException;
    }

    /** What a command does with one node of it. */
    private interface NodeVerb {
        void act(LocalCluster cluster, String name)
                throws IOException, LocalFailure, InterruptedException;
    }

    private CommandSpec command(String name, String description, Verb verb) {
        Action action = new Action(verb);
        CommandSpec spec = CommandSpec.wrapWithoutInspection(action).name(name);
        action.spec = spec;
        spec.usageMessage().description(description).sortOptions(false);
        spec.addOption(
                option("--data", "DIR", String.class)
                        .description("Where the cluster lives. Default: " + DEFAULT_DATA + "/.")
                        .build());
        spec.addOption(
                OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Prints this.")
                        .build());
        return spec;
    }

    private CommandSpec nodeVerb(String name, String description, NodeVerb verb) {
        Action[] action = new Action[1];
        CommandSpec spec =
                command(
                        name,
                        description,
                        cluster ->
                                verb.act(
                                        cluster, action[0].parsed().matchedPositionalValue(0, "")));
        action[0] = (Action) spec.userObject();
        spec.addPositional(
                PositionalParamSpec.builder()
                        .index("0")
                        .required(true)
                        .type(String.class)
                        .paramLabel("NODE")
                        .description("The node, such as n2.")
                        .build());
        return spec;
    }

    private CommandSpec restart() {
        Action[] action = new Action[1];
        CommandSpec spec =
                command(
                        "restart",
                        "Restarts all nodes of a local cluster without a failed request. Exits with"
                                + " 1 if a node cannot be stopped or does not come back; the nodes"
                                + " behind it are then not stopped.",
                        cluster -> {
                            ParseResult parsed = action[0].parsed();
                            try (NodeAccess access = access(parsed, 1)) {
                                RestartedNodes.restart(
                                        cluster,
                                        access,
                                        parsed.commandSpec().commandLine().getOut());
                            }
                        });
        action[0] = (Action) spec.userObject();
        spec.addOption(
                OptionSpec.builder("--rolling")
                        .required(true)
                        .description(
                                "One node after the other: each is stopped once the others can do"
                                        + " without it, and started again.")
                        .build());
        NodeAccess.addOptions(spec);
        return spec;
    }

    private CommandSpec repair() {
        Action[] action = new Action[1];
        CommandSpec spec =
                command(
                        "repair",
                        "Compares what each node holds with what its peers hold, repairs what"
                                + " differs, and says how much that was. Exits with 0 if all"
                                + " replicas agree then, and with 1 if not.",
                        cluster -> repair(cluster, action[0].parsed()));
        action[0] = (Action) spec.userObject();
        NodeAccess.addOptions(spec);
        spec.addOption(
                OptionSpec.builder("--accept-loss")
                        .description(
                                "Instead, where a node cannot heal since another one is damaged in"
                                        + " the same keys: shows which these are, and goes on"
                                        + " without what only those had if their number is typed.")
                        .build());
        spec.addPositional(
                PositionalParamSpec.builder()
                        .index("0..*")
                        .arity("0..*")
                        .type(String[].class)
                        .paramLabel("URL")
                        .description(
                                "Nodes, such as http://10.0.0.1:8080. Default: those that run of"
                                        + " the cluster in --data.")
                        .build());
        return spec;
    }

    private void repair(LocalCluster cluster, ParseResult parsed)
            throws IOException, LocalFailure, InterruptedException {
        String[] urls = parsed.matchedPositionalValue(0, new String[0]);
        try (NodeAccess access = access(parsed, 1)) {
            if (parsed.hasMatchedOption("--accept-loss")) {
                cluster.acceptLoss(
                        access,
                        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)),
                        urls);
            } else {
                cluster.repair(access, urls);
            }
        }
    }

    private CommandSpec why() {
        Action[] action = new Action[1];
        CommandSpec spec =
                command(
                        "why",
                        "Prints what each node holds of a key, where it lies there, and what follows"
                                + " from that. Exits with 0 if any holds something, with 1 if none"
                                + " does, and with 2 if that cannot be said.",
                        cluster -> why(cluster, action[0].parsed()));
        action[0] = (Action) spec.userObject();
        spec.addOption(
                option("--url", "URL", String.class)
                        .description(
                                "A node, such as http://10.0.0.1:8080. Default: one that runs of"
                                        + " the cluster in --data.")
                        .build());
        NodeAccess.addOptions(spec);
        spec.addOption(
                OptionSpec.builder("--encoded")
                        .description("KEY is percent-encoded, as in a URL.")
                        .build());
        spec.addPositional(
                PositionalParamSpec.builder()
                        .index("0")
                        .required(true)
                        .type(String.class)
                        .paramLabel("KEY")
                        .description("The key.")
                        .build());
        return spec;
    }

    private NodeAccess access(ParseResult parsed, int failed) throws LocalFailure {
        try {
            return NodeAccess.of(parsed, environment);
        } catch (NodeAccess.InvalidException e) {
            throw new LocalFailure(String.valueOf(e.getMessage()), failed);
        }
    }

    private void why(LocalCluster cluster, ParseResult parsed) throws LocalFailure {
        String key = parsed.matchedPositionalValue(0, "");
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        if (parsed.hasMatchedOption("--encoded")) {
            try {
                bytes = Percent.decode(key);
            } catch (Percent.MalformedEscapeException e) {
                throw new LocalFailure(String.valueOf(e.getMessage()), WhyRun.NO_ANSWER);
            }
        }
        try (NodeAccess access = access(parsed, WhyRun.NO_ANSWER)) {
            cluster.why(access, parsed.matchedOptionValue("--url", null), Percent.encode(bytes));
        }
    }

    private CommandSpec logs() {
        Action[] action = new Action[1];
        CommandSpec spec =
                command(
                        "logs",
                        "Prints the last lines of the nodes' logs, since each was last started.",
                        cluster -> logs(cluster, action[0].parsed()));
        action[0] = (Action) spec.userObject();
        spec.addOption(
                option("--lines", "N", Integer.class)
                        .description("How many lines of each, 0 to 1,000. Default: 20.")
                        .build());
        spec.addOption(
                OptionSpec.builder("--follow")
                        .description("Goes on, and prints what follows, until Ctrl-C ends it.")
                        .build());
        spec.addPositional(
                PositionalParamSpec.builder()
                        .index("0..*")
                        .arity("0..*")
                        .type(String[].class)
                        .paramLabel("NODE")
                        .description("Nodes, such as n2. Default: all of the cluster in --data.")
                        .build());
        return spec;
    }

    private static void logs(LocalCluster cluster, ParseResult parsed)
            throws IOException, LocalFailure {
        int lines = parsed.matchedOptionValue("--lines", LOG_LINES);
        if (lines < 0 || lines > MAX_LOG_LINES) {
            throw new LocalFailure("--lines is a number of lines from 0 to 1,000.");
        }
        boolean follows = parsed.hasMatchedOption("--follow");
        cluster.logs(
                List.of(parsed.matchedPositionalValue(0, new String[0])),
                lines,
                () -> follows && LogRun.pause());
    }

    private CommandSpec up() {
        Action[] action = new Action[1];
        CommandSpec spec =
                command(
                        "up",
                        "Starts a cluster on this machine and stays until Ctrl-C stops it.",
                        cluster -> up(cluster, action[0].parsed()));
        action[0] = (Action) spec.userObject();
        spec.addOption(
                option("--nodes", "N", Integer.class)
                        .description("How many nodes. Default: 3, or as many as before.")
                        .build());
        spec.addOption(
                option("--port", "P", Integer.class)
                        .description(
                                "The port of the first node; the others follow. Default: 8080, or"
                                        + " as before.")
                        .build());
        spec.addOption(
                option("--heap", "SIZE", String.class)
                        .description(
                                "The heap of each node. Default: QUORATE_HEAP, 128m, or as before.")
                        .build());
        spec.addOption(
                OptionSpec.builder("--detach")
                        .description("Returns once the nodes are ready; ./quorate down stops them.")
                        .build());
        spec.addOption(
                OptionSpec.builder("--clean").description("Starts from empty data.").build());
        spec.addPositional(
                PositionalParamSpec.builder()
                        .index("0..*")
                        .arity("0..*")
                        .type(String[].class)
                        .paramLabel("-- FLAG")
                        .description("Flags for each node, as ./quorate node takes them.")
                        .build());
        return spec;
    }

    private static OptionSpec.Builder option(String name, String label, Class<?> type) {
        return OptionSpec.builder(name).type(type).paramLabel(label);
    }

    private static void up(LocalCluster cluster, ParseResult parsed)
            throws IOException, LocalFailure, InterruptedException {
        String[] nodeOptions = parsed.matchedPositionalValue(0, new String[0]);
        boolean detach = parsed.hasMatchedOption("--detach");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopOwned(cluster), "stop-cluster"));
        cluster.up(
                new LocalCluster.Wanted(
                        parsed.matchedOptionValue("--nodes", null),
                        parsed.matchedOptionValue("--port", null),
                        parsed.matchedOptionValue("--heap", null),
                        List.of(nodeOptions),
                        parsed.hasMatchedOption("--clean")));
        if (detach) {
            cluster.detach();
            return;
        }
        PrintWriter out = parsed.commandSpec().commandLine().getOut();
        out.println("Ctrl-C stops them.");
        out.flush();
        cluster.watch();
        cluster.detach();
    }

    /** Runs when this process ends; a signal, such as Ctrl-C, is the proper way to end it. */
    private static void stopOwned(LocalCluster cluster) {
        if (!cluster.ownsNodes()) {
            return;
        }
        int exit = 0;
        try {
            cluster.down();
        } catch (IOException | LocalFailure | InterruptedException e) {
            System.err.println("The cluster could not be stopped: " + e.getMessage());
            exit = 1;
        }
        Runtime.getRuntime().halt(exit);
    }

    /** One command's doing. */
    private final class Action implements Callable<Integer> {

        private final Verb verb;
        private CommandSpec spec = CommandSpec.create();

        Action(Verb verb) {
            this.verb = verb;
        }

        ParseResult parsed() {
            return spec.commandLine().getParseResult();
        }

        @Override
        public Integer call() throws InterruptedException {
            String data = parsed().matchedOptionValue("--data", DEFAULT_DATA);
            PrintWriter out = spec.commandLine().getOut();
            LocalCluster cluster =
                    new LocalCluster(
                            new ClusterDirectory(Path.of(data)), nodeCommand, ticker, random, out);
            try {
                verb.act(cluster);
                return 0;
            } catch (LocalFailure e) {
                spec.commandLine().getErr().println(e.getMessage());
                return e.exitCode();
            } catch (IOException e) {
                spec.commandLine().getErr().println("A file could not be used: " + e);
            }
            return 1;
        }
    }
}
