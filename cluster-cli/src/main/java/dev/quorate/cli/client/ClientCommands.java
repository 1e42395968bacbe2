package dev.quorate.cli.client;

import static dev.quorate.cli.client.Invocation.encoded;

import dev.quorate.cli.local.NodeAccess;
import dev.quorate.node.http.Percent;
import dev.quorate.node.runtime.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The commands {@code get}, {@code put}, {@code delete}, {@code scan} and {@code status}, and those
 * of {@link TransferCommands}, {@link EventsCommand} and {@link CheckpointCommands}. Their exit
 * codes are those of {@link ExitCode}.
 */
public final class ClientCommands {

    private static final String EXITS =
            "Exit codes: 0 done; 1 no such key, or a node is not ready; 2 the arguments make no"
                    + " sense; 3 no node was able to, and nothing was stored; 4 refused; 5 it is not"
                    + " known whether it was stored.";
    private static final String ENTITY = "/v0/entity?id=";
    private static final int NOT_FOUND = 404;

    private final Ticker ticker;
    private final RandomGenerator random;
    private final InputStream in;

    /** Receives the bytes of values. */
    private final OutputStream bytes;

    private final BooleanSupplier pause;
    private final Map<String, String> environment;

    /**
     * The commands.
     *
     * @param random tells the writers of versions apart
     * @param in values that are not on the command line
     * @param bytes receives values as they are
     * @param pause waits until nodes are looked at again; returns whether they are to be
     * @param environment may have a token
     */
    public ClientCommands(
            Ticker ticker,
            RandomGenerator random,
            InputStream in,
            OutputStream bytes,
            BooleanSupplier pause,
            Map<String, String> environment) {
        this.ticker = ticker;
        this.random = random;
        this.in = in;
        this.bytes = bytes;
        this.pause = pause;
        this.environment = Map.copyOf(environment);
    }

    /** Adds the commands to the command line. */
    public void addTo(CommandLine commandLine) {
        CommandSpec get = command("get", "Prints the value of a key.", this::get);
        keyed(get, false);
        CommandSpec put =
                command(
                        "put",
                        "Stores a value: VALUE, or what --file contains, or what comes on standard"
                                + " input. Prints its version.",
                        this::put);
        keyed(put, true);
        put.addPositional(
                PositionalParamSpec.builder()
                        .index("1")
                        .arity("0..1")
                        .type(String.class)
                        .paramLabel("VALUE")
                        .description("The value.")
                        .build());
        put.addOption(option("--file", "FILE", "The value is what this file contains."));
        put.addOption(option("--ttl", "DURATION", "Time to live, such as 7d or 60 (seconds)."));
        CommandSpec delete =
                command("delete", "Deletes a key. Prints the tombstone's version.", this::delete);
        keyed(delete, true);
        CommandSpec scan =
                command(
                        "scan",
                        "Prints the keys and values of a range, in the order of their bytes: a line"
                                + " for each, with a tab between the two, and percent-encoded.",
                        this::scan);
        replicas(scan);
        scan.addOption(option("--start", "KEY", "The first key. Default: the first there is."));
        scan.addOption(option("--end", "KEY", "The key before which it ends. Default: none."));
        scan.addOption(flag("--reverse", "The largest key first."));
        scan.addOption(option("--limit", "N", "At most so many keys."));
        CommandSpec status =
                command(
                        "status",
                        "Prints of each node whether it is ready, and why not. Exits with 1 if any is"
                                + " not.",
                        this::status);
        status.addOption(
                flag("--watch", "Goes on, and prints what changes, until Ctrl-C ends it."));
        for (CommandSpec spec : List.of(get, put, delete, scan, status)) {
            commandLine.addSubcommand(spec.name(), new CommandLine(spec));
        }
        new TransferCommands(ticker, in, bytes, pause).addTo(commandLine, this);
        new EventsCommand(pause).addTo(commandLine, this);
        CheckpointCommands.addTo(commandLine, this);
        LogLevelCommand.addTo(commandLine, this);
    }

    /** What a command does. */
    public interface Verb {
        ExitCode run(Invocation invocation) throws IOException, CommandFailure;
    }

    private CommandSpec command(String name, String description, Verb verb) {
        CommandSpec spec = command(name, description, EXITS, verb);
        spec.addOption(flag("--json", "Prints JSON, with keys and values in Base64."));
        return spec;
    }

    /** A command with the options that all have. */
    public CommandSpec command(String name, String description, String exits, Verb verb) {
        Action action = new Action(verb);
        CommandSpec spec = CommandSpec.wrapWithoutInspection(action).name(name);
        action.spec = spec;
        spec.usageMessage().description(description).sortOptions(false).footer(exits);
        spec.addOption(
                OptionSpec.builder("--url")
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .splitRegex(",")
                        .paramLabel("URL")
                        .description(
                                "A node, such as http://10.0.0.1:8080. Of several the next is asked"
                                        + " where one is down. Default: those that run of the cluster"
                                        + " in --data.")
                        .build());
        spec.addOption(option("--data", "DIR", "Where a local cluster lives. Default: .quorate/."));
        NodeAccess.addOptions(spec);
        spec.addOption(
                option(
                        "--timeout",
                        "DURATION",
                        "Time a node may take to answer, such as 500ms or 60 (seconds). Default:"
                                + " 10s."));
        spec.addOption(
                OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Prints this.")
                        .build());
        return spec;
    }

    public static OptionSpec option(String name, String label, String description) {
        return OptionSpec.builder(name)
                .type(String.class)
                .paramLabel(label)
                .description(description)
                .build();
    }

    public static OptionSpec flag(String name, String description) {
        return OptionSpec.builder(name).description(description).build();
    }

    public static void replicas(CommandSpec spec) {
        spec.addOption(
                option(
                        "--replicas",
                        "ACK/FROM",
                        "How many replicas must answer, of how many. Default: a majority of three."));
    }

    private static void keyed(CommandSpec spec, boolean writes) {
        replicas(spec);
        spec.addOption(flag("--encoded", "KEY is percent-encoded, as in a URL."));
        if (writes) {
            spec.addOption(
                    option(
                            "--write-version",
                            "VERSION",
                            "Sends a write again of which it was not known whether it was stored."));
        }
        spec.addPositional(
                PositionalParamSpec.builder()
                        .index("0")
                        .required(true)
                        .type(String.class)
                        .paramLabel("KEY")
                        .description("The key.")
                        .build());
    }

    private ExitCode get(Invocation run) throws IOException, CommandFailure {
        ExitCode[] exit = {ExitCode.DONE};
        String key = run.key();
        run.client()
                .read(
                        "GET",
                        ENTITY + key + run.query(),
                        List.of(),
                        answer -> {
                            if (answer.status() == NOT_FOUND) {
                                run.err().println("There is no such key.");
                                run.hintAboutBlanks();
                                exit[0] = ExitCode.NOT_THERE;
                            } else if (answer.status() == 200) {
                                print(run, key, answer);
                            } else {
                                throw new CommandFailure(ExitCode.REFUSED, answer.problem());
                            }
                        });
        return exit[0];
    }

    private void print(Invocation run, String key, Answer answer) throws IOException {
        if (run.json()) {
            run.out()
                    .printf(
                            "{\"key\":\"%s\",\"value\":\"%s\",\"version\":\"%s\"}%n",
                            base64(key),
                            Base64.getEncoder().encodeToString(answer.body().readAllBytes()),
                            answer.version());
        } else {
            answer.body().transferTo(bytes);
            bytes.flush();
        }
    }

    private static String base64(String encodedKey) {
        try {
            return Base64.getEncoder().encodeToString(Percent.decode(encodedKey));
        } catch (Percent.MalformedEscapeException e) {
            throw new IllegalStateException("a key that was just encoded: " + encodedKey, e);
        }
    }

    private ExitCode put(Invocation run) throws IOException, CommandFailure {
        String ttl = run.option("--ttl");
        byte[] value = run.value(in);
        return write(run, "PUT", ttl == null ? "" : "&ttl=" + encoded(ttl), value);
    }

    private ExitCode delete(Invocation run) throws IOException, CommandFailure {
        return write(run, "DELETE", "", new byte[0]);
    }

    private ExitCode write(Invocation run, String method, String more, byte[] body)
            throws IOException, CommandFailure {
        String target = ENTITY + run.key() + run.query();
        String version =
                run.client().write(method, target + more, target, body, run.writeVersion());
        if (run.json()) {
            run.out()
                    .printf(
                            "{\"key\":\"%s\",\"version\":\"%s\"}%n",
                            base64(run.key()), version == null ? "" : version);
        } else {
            run.out().println(version == null ? "stored" : version);
        }
        run.hintAboutBlanks();
        return ExitCode.DONE;
    }

    private ExitCode scan(Invocation run) throws IOException, CommandFailure {
        String start = run.option("--start");
        String end = run.option("--end");
        RangeScan.Entries entries =
                run.json()
                        ? (line, _, _) -> run.out().println(line)
                        : (_, key, value) -> run.out().println(plain(key) + "\t" + plain(value));
        RangeScan.Bounds bounds =
                new RangeScan.Bounds(
                        start == null ? null : encoded(start),
                        end == null ? null : encoded(end),
                        run.reverses());
        new RangeScan(bounds, run.query(), run.limit(), entries)
                .run(run.nodes(), run.timeoutMillis());
        return ExitCode.DONE;
    }

    private static String plain(String base64) throws IOException {
        return Percent.encode(RangeScan.decoded(base64));
    }

    private ExitCode status(Invocation run) throws IOException, CommandFailure {
        List<Node> nodes = run.nodes();
        Map<Node, NodeState> states = new LinkedHashMap<>();
        boolean watches = run.watches();
        do {
            for (Node node : nodes) {
                NodeState state = NodeState.of(node, run.timeoutMillis());
                if (!state.equals(states.put(node, state)) && (watches || !run.json())) {
                    run.out().println(run.json() ? state.json() : state.text());
                    run.out().flush();
                }
            }
        } while (watches && pause.getAsBoolean());
        if (run.json() && !watches) {
            run.out()
                    .println(
                            states.values().stream()
                                    .map(NodeState::json)
                                    .collect(Collectors.joining(",", "[", "]")));
        }
        return states.values().stream().allMatch(NodeState::isReady)
                ? ExitCode.DONE
                : ExitCode.NOT_THERE;
    }

    /** One command's doing. */
    private final class Action implements Callable<Integer> {

        private final Verb verb;
        private CommandSpec spec = CommandSpec.create();

        Action(Verb verb) {
            this.verb = verb;
        }

        @Override
        public Integer call() {
            Invocation invocation = new Invocation(spec, ticker, random, environment);
            try {
                return verb.run(invocation).number();
            } catch (CommandFailure e) {
                invocation.err().println(e.getMessage());
                return e.exit().number();
            } catch (IOException e) {
                invocation.err().println("A file could not be used: " + e);
                return ExitCode.USAGE.number();
            } finally {
                invocation.out().flush();
            }
        }
    }
}
