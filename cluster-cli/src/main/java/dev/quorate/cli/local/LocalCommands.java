package dev.quorate.cli.local;

import static dev.quorate.cli.local.Commands.flag;
import static dev.quorate.cli.local.Commands.number;
import static dev.quorate.cli.local.Commands.option;
import static dev.quorate.cli.local.Commands.parameter;
import static dev.quorate.cli.local.Commands.parameters;

import dev.quorate.node.http.parse.Percent;
import dev.quorate.router.runtime.Ticker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The commands {@code up}, {@code down}, {@code kill}, {@code stop}, {@code start}, {@code
 * restart}, {@code repair}, {@code why} and {@code logs}. Exit codes: 0, or 1 with a sentence about
 * the reason; {@code why} has its own exit codes.
 *
 * @param nodeCommand the arguments after the JVM flags that start a node: class path, main class
 *     and first words
 * @param random generates the secret; must be cryptographically strong
 * @param in the input of the user
 * @param environment may contain a token
 */
public record LocalCommands(
        List<String> nodeCommand,
        Ticker ticker,
        RandomGenerator random,
        InputStream in,
        Map<String, String> environment) {

    /** No node was reached, or some members did not answer and the others store nothing. */
    private static final int NO_ANSWER = 2;

    public void addTo(CommandLine commandLine) {
        Commands.add(
                commandLine,
                up(),
                command("down", "Stops a local cluster.", (cluster, parsed) -> cluster.down()),
                nodeVerb("kill", "Kills a node, as a crash would.", LocalCluster::kill),
                nodeVerb("stop", "Stops a node gracefully.", LocalCluster::stop),
                nodeVerb("start", "Starts a node again.", LocalCluster::start),
                restart(),
                repair(),
                why(),
                logs());
    }

    /** The action of a command on the cluster that {@code --data} names. */
    private interface Verb {
        void act(LocalCluster cluster, ParseResult parsed) throws IOException, InterruptedException;
    }

    private interface NodeVerb {
        void act(LocalCluster cluster, String name) throws IOException, InterruptedException;
    }

    private CommandSpec command(String name, String description, Verb verb, ArgSpec... more) {
        CommandSpec spec =
                Commands.command(
                        name,
                        description,
                        line -> run(line, verb),
                        Connection.data(),
                        Commands.help());
        return Commands.with(spec, more);
    }

    private interface ConnectedVerb {
        void act(Connection connection, ParseResult parsed)
                throws IOException, InterruptedException;
    }

    /**
     * A command that asks nodes, here or elsewhere.
     *
     * @param failed the exit code if the connection is invalid
     */
    private CommandSpec connected(
            String name, String description, int failed, ConnectedVerb verb, ArgSpec... more) {
        CommandSpec spec =
                Commands.command(
                        name,
                        description,
                        line ->
                                run(
                                        line,
                                        (_, parsed) -> {
                                            try (Connection connection =
                                                    new Connection(parsed, environment, ticker)) {
                                                verb.act(connection, parsed);
                                            } catch (IllegalArgumentException e) {
                                                throw new LocalFailure(
                                                        String.valueOf(e.getMessage()), failed);
                                            }
                                        }),
                        Commands.help());
        return Commands.with(spec, more).addMixin("connection", Connection.options());
    }

    private int run(CommandLine line, Verb verb) throws InterruptedException {
        ParseResult parsed = line.getParseResult();
        Path data = Path.of(parsed.matchedOptionValue("--data", Connection.DEFAULT_DATA));
        LocalCluster cluster =
                new LocalCluster(
                        new ClusterDirectory(data),
                        nodeCommand,
                        ticker,
                        random,
                        line.getOut(),
                        LocalNodes::isFree);
        try {
            verb.act(cluster, parsed);
            return 0;
        } catch (LocalFailure e) {
            return Commands.fail(line, String.valueOf(e.getMessage()), e.exitCode());
        } catch (IOException e) {
            return Commands.fail(line, "A file cannot be used: " + Commands.reason(e), 1);
        }
    }

    private CommandSpec nodeVerb(String name, String description, NodeVerb verb) {
        return command(
                name,
                description,
                (cluster, parsed) -> verb.act(cluster, parsed.matchedPositionalValue(0, "")),
                parameter("NODE", "The node, such as n2."));
    }

    private CommandSpec restart() {
        return command(
                "restart",
                "Restarts all nodes of a local cluster without a failed request. Exits with"
                        + " 1 if a node cannot be stopped or does not return; it then does"
                        + " not stop the remaining nodes.",
                this::restart,
                OptionSpec.builder("--rolling")
                        .required(true)
                        .description(
                                "Restarts one node at a time, each when the others can serve without"
                                        + " it.")
                        .build(),
                NodeAccess.tokenFile(),
                NodeAccess.ca());
    }

    private void restart(LocalCluster cluster, ParseResult parsed)
            throws IOException, InterruptedException {
        try (NodeAccess access = access(parsed)) {
            RollingRestart.restart(cluster, access, out(parsed));
        }
    }

    private CommandSpec repair() {
        return connected(
                "repair",
                "Compares the data of each node with its peers, repairs differences, and"
                        + " prints their number. Exits with 0 if all replicas then agree, and"
                        + " with 1 if not.",
                1,
                this::repair,
                flag(
                        "--accept-loss",
                        "If healing is blocked by a second damaged replica: lists the affected"
                                + " ranges and, once you type their number, accepts losing"
                                + " them."),
                parameters("URL", "Nodes, as with --url."));
    }

    private void repair(Connection connection, ParseResult parsed)
            throws IOException, InterruptedException {
        List<String> urls = List.of(parsed.matchedPositionalValue(0, new String[0]));
        List<Node> nodes = urls.isEmpty() ? running(connection, 1) : connection.nodes(urls);
        int timeoutMillis = connection.timeoutMillis(10);
        if (parsed.hasMatchedOption("--accept-loss")) {
            BufferedReader typed =
                    new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            new LossRun(timeoutMillis, out(parsed), typed).run(nodes);
        } else {
            new RepairRun(timeoutMillis, out(parsed)).run(nodes);
        }
    }

    private static List<Node> running(Connection connection, int failed) throws LocalFailure {
        try {
            List<Node> nodes = connection.nodes();
            if (!nodes.isEmpty()) {
                return nodes;
            }
        } catch (IOException e) {
            throw new LocalFailure(String.valueOf(e.getMessage()), failed);
        }
        throw new LocalFailure("No node is running in " + connection.dataName() + ".", failed);
    }

    private CommandSpec why() {
        return connected(
                "why",
                "Prints what each node stores of a key, in which files, and a conclusion."
                        + " Exits with 0 if any node stores something, with 1 if none does,"
                        + " and with 2 if that is unknown.",
                NO_ANSWER,
                this::why,
                flag("--encoded", "KEY is percent-encoded, as in a URL."),
                parameter("KEY", "The key."));
    }

    private NodeAccess access(ParseResult parsed) throws LocalFailure {
        try {
            return NodeAccess.of(parsed, environment);
        } catch (IllegalArgumentException e) {
            throw new LocalFailure(String.valueOf(e.getMessage()));
        }
    }

    private void why(Connection connection, ParseResult parsed) throws IOException {
        String key = parsed.matchedPositionalValue(0, "");
        try {
            byte[] bytes =
                    parsed.hasMatchedOption("--encoded")
                            ? Percent.decode(key)
                            : key.getBytes(StandardCharsets.UTF_8);
            String accept = parsed.hasMatchedOption("--json") ? "application/json" : "text/plain";
            print(
                    ask(
                            running(connection, NO_ANSWER),
                            "/admin/why?id=" + Percent.encode(bytes),
                            accept,
                            connection.timeoutMillis(10)),
                    out(parsed));
        } catch (Percent.MalformedEscapeException e) {
            throw new LocalFailure(String.valueOf(e.getMessage()), NO_ANSWER);
        }
    }

    private static Node.Answer ask(
            List<Node> nodes, String target, String accept, int timeoutMillis) throws LocalFailure {
        StringBuilder why = new StringBuilder();
        for (Node node : nodes) {
            try {
                return node.ask("GET", target, accept, timeoutMillis);
            } catch (IOException e) {
                why.append(why.isEmpty() ? "" : " ")
                        .append(node.url() + " cannot be asked: " + Node.reason(e) + ".");
            }
        }
        throw new LocalFailure(why.toString(), NO_ANSWER);
    }

    /** Prints what the whole cluster stores of a key. Fails if no member stores anything. */
    private static void print(Node.Answer answer, PrintWriter out) throws LocalFailure {
        if (List.of(200, 404, 504).contains(answer.status())) {
            out.print(PrintableWriter.printable(answer.text()));
            out.flush();
        }
        switch (answer.status()) {
            case 200 -> {}
            case 404 -> throw new LocalFailure("No member holds anything of this key.");
            case 504 ->
                    throw new LocalFailure(
                            "None of those that answered holds anything of this key.", NO_ANSWER);
            default -> throw new LocalFailure("The node answers " + answer.problem(), NO_ANSWER);
        }
    }

    private static PrintWriter out(ParseResult parsed) {
        return parsed.commandSpec().commandLine().getOut();
    }

    private CommandSpec logs() {
        return command(
                "logs",
                "Prints the last lines of the nodes' logs since their last start.",
                LocalCommands::logs,
                number("--lines", "N", "Lines of each log, 0 to 1,000. Default: 20."),
                flag("--follow", "Continues to print new lines until Ctrl-C."),
                parameters("NODE", "Nodes, such as n2. Default: all of the cluster in --data."));
    }

    private static void logs(LocalCluster cluster, ParseResult parsed) throws IOException {
        int lines = parsed.matchedOptionValue("--lines", 20);
        if (lines < 0 || lines > 1_000) {
            throw new LocalFailure("--lines is a number of lines from 0 to 1,000.");
        }
        boolean follows = parsed.hasMatchedOption("--follow");
        cluster.logs(
                List.of(parsed.matchedPositionalValue(0, new String[0])),
                lines,
                () -> follows && Commands.sleepNanos(500_000_000));
    }

    private CommandSpec up() {
        return command(
                "up",
                "Starts a cluster on this machine and runs until Ctrl-C stops it.",
                this::up,
                number(
                        "--nodes",
                        "N",
                        "Number of nodes. Default: 3, or as before. Adds nodes to a running cluster"
                                + " that has fewer."),
                number(
                        "--port",
                        "P",
                        "The port of the first node; the others follow. Default: 8080, or"
                                + " as before."),
                option(
                        "--heap",
                        "SIZE",
                        "The heap of each node. Default: QUORATE_HEAP, 128m, or as before."),
                flag("--detach", "Returns once the nodes are ready; ./quorate down stops them."),
                flag("--clean", "Starts from empty data."),
                parameters("-- FLAG", "Flags of ./quorate node for each node."));
    }

    private void up(LocalCluster cluster, ParseResult parsed)
            throws IOException, InterruptedException {
        String[] nodeOptions = parsed.matchedPositionalValue(0, new String[0]);
        LocalCluster.Wanted wanted =
                new LocalCluster.Wanted(
                        parsed.matchedOptionValue("--nodes", null),
                        parsed.matchedOptionValue("--port", null),
                        parsed.matchedOptionValue("--heap", null),
                        List.of(nodeOptions),
                        parsed.hasMatchedOption("--clean"));
        boolean isDetached = parsed.hasMatchedOption("--detach");
        if (cluster.isRunning() && wanted.nodes() != null) {
            try (NodeAccess access = access(parsed)) {
                new Growth(cluster, access, out(parsed)).run(wanted, wanted.nodes());
            }
            return;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopOwned(cluster), "stop-cluster"));
        cluster.up(wanted);
        if (!isDetached) {
            out(parsed).println("Ctrl-C stops them.");
            out(parsed).flush();
            cluster.watch();
        }
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
        } catch (IOException | InterruptedException e) {
            System.err.println("The cluster could not be stopped: " + e.getMessage());
            exit = 1;
        }
        Runtime.getRuntime().halt(exit);
    }

    /**
     * Repairs nodes one after the other, so that later nodes get the writes that the first nodes
     * have collected. Prints the progress.
     */
    private record RepairRun(int timeoutMillis, PrintWriter out) {

        /** Number of polls for each line of progress. */
        private static final int POLLS_PER_LINE = 8;

        /** The state of a node's repairs: see {@code admin.NodePages}. */
        private record RepairState(long round, String state, List<String> peers) {

            static RepairState of(String node, String text) throws LocalFailure {
                List<String> lines = text.lines().toList();
                String[] words = lines.isEmpty() ? new String[0] : lines.getFirst().split(" ", 3);
                if (words.length < 3
                        || !words[0].equals("round")
                        || !words[1].matches("[0-9]{1,18}")) {
                    throw new LocalFailure(node + " does not report its repair: " + text.strip());
                }
                return new RepairState(
                        Long.parseLong(words[1]), words[2], lines.subList(1, lines.size()));
            }
        }

        void run(List<Node> nodes) throws LocalFailure, InterruptedException {
            int agreed = 0;
            for (Node node : nodes) {
                agreed += repair(node) ? 1 : 0;
            }
            if (agreed < nodes.size()) {
                throw new LocalFailure("Not all replicas are known to agree.");
            }
            out.println("All replicas agree.");
            out.flush();
        }

        private boolean repair(Node node) throws LocalFailure, InterruptedException {
            RepairState begun = ask("POST", node);
            RepairState now = begun;
            for (int polls = 1;
                    now.round() == begun.round() && now.state().equals("running");
                    polls++) {
                if (polls % POLLS_PER_LINE == 0) {
                    now.peers().stream()
                            .filter(line -> line.contains(" running: "))
                            .forEach(line -> print(node, line));
                }
                NodeProcesses.pause(250);
                now = ask("GET", node);
            }
            now.peers().forEach(line -> print(node, line));
            return now.state().equals("agreed");
        }

        private void print(Node node, String line) {
            out.println(node.url() + " with " + PrintableWriter.printable(line));
            out.flush();
        }

        private RepairState ask(String method, Node node) throws LocalFailure {
            Node.Answer answer = node.text(method, "/admin/repair", timeoutMillis);
            if (answer.status() / 100 != 2) {
                throw new LocalFailure(node.url() + " answers " + answer.problem());
            }
            return RepairState.of(node.url(), answer.text());
        }
    }
}
