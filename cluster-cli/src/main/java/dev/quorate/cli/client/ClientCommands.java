package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.flag;
import static dev.quorate.cli.local.Commands.option;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.NodeAccess;
import dev.quorate.cli.local.PrintableWriter;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.Range;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.Version;
import dev.quorate.client.WriteOptions;
import dev.quorate.node.http.parse.Percent;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.runtime.Units;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The commands {@code get}, {@code put}, {@code delete}, {@code scan} and {@code status}, and those
 * of {@link TransferCommands}, {@link EventsCommand} and {@link MemberCommands}. Their exit codes
 * are those of {@link ExitCode}.
 *
 * @param in values that are not on the command line
 * @param bytes receives the bytes of values
 * @param pause waits before nodes are polled again; returns false to end
 * @param environment may contain a token
 */
public record ClientCommands(
        Ticker ticker,
        InputStream in,
        OutputStream bytes,
        BooleanSupplier pause,
        Map<String, String> environment) {

    private static final String EXITS =
            "Exit codes: 0 done; 1 no such key, or a node is not ready; 2 invalid arguments; 3 no"
                    + " node could do it, and nothing was stored; 4 refused; 5 it is unknown whether"
                    + " the write was stored.";
    private static final String ONLY = "--only";

    /** Maximum number of entries of a page of a range; fewer if they are long. */
    static final int PAGE_ENTRIES = 4_096;

    /** The number of attempts for each page and node: under load, nodes refuse some pages. */
    static final int PAGE_ROUNDS = 8;

    public void addTo(CommandLine commandLine) {
        Commands.add(
                commandLine,
                command("get", "Prints the value of a key.", this::get, keyed()),
                command(
                        "put",
                        "Stores a value: VALUE, the contents of --file, or the standard input. Prints"
                                + " the version.",
                        this::put,
                        keyed(
                                writeVersion(),
                                Commands.optionalParameter(1, "VALUE", "The value."),
                                option("--file", "FILE", "File with the value."),
                                option(
                                        "--ttl",
                                        "DURATION",
                                        "Time to live, such as 7d or 60 (seconds)."))),
                command(
                        "delete",
                        "Deletes a key. Prints the tombstone's version.",
                        this::delete,
                        keyed(writeVersion())),
                command(
                        "scan",
                        "Prints the keys and values of a range in key order, one entry a line:"
                                + " percent-encoded, with a tab between key and value.",
                        this::scan,
                        replicas(),
                        option("--start", "KEY", "The first key, inclusive. Default: none."),
                        option("--end", "KEY", "The last key, exclusive. Default: none."),
                        flag("--reverse", "The largest key first."),
                        option("--limit", "N", "Maximum number of keys.")),
                command(
                        "status",
                        "Prints whether each member is ready, and if not, why. Exits with 1 if any is"
                                + " not ready.",
                        this::status,
                        flag(ONLY, "Asks only the nodes of --url, and not the other members."),
                        flag("--watch", "Continues to print changes until Ctrl-C.")));
        new TransferCommands(ticker, in, bytes).addTo(commandLine, this);
        new EventsCommand(pause).addTo(commandLine, this);
        MemberCommands.addTo(commandLine, this);
        TopologyCommands.addTo(commandLine, this);
    }

    public interface Verb {
        ExitCode run(Invocation invocation) throws IOException, CommandFailure;
    }

    private CommandSpec command(String name, String description, Verb verb, ArgSpec... more) {
        OptionSpec json = flag("--json", "Prints JSON, with keys and values in Base64.");
        return Commands.with(command(name, description, EXITS, verb, json), more);
    }

    /** A command with the options of all client commands, and its own. */
    public CommandSpec command(
            String name, String description, String exits, Verb verb, ArgSpec... more) {
        CommandSpec spec =
                Commands.command(
                        name,
                        description,
                        line -> run(line, verb).number(),
                        OptionSpec.builder("--url")
                                .type(List.class)
                                .auxiliaryTypes(String.class)
                                .splitRegex(",")
                                .paramLabel("URL")
                                .description(
                                        "A node, such as http://10.0.0.1:8080. With several URLs, the"
                                                + " next one is tried if a node is down. Default: the"
                                                + " running nodes of the cluster in --data.")
                                .build(),
                        option(
                                "--data",
                                "DIR",
                                "Directory of a local cluster. Default: .quorate/."),
                        NodeAccess.tokenFile(),
                        NodeAccess.ca(),
                        option(
                                "--timeout",
                                "DURATION",
                                "Time a node may take to answer, such as 500ms or 60 (seconds). Default:"
                                        + " 10s."),
                        Commands.help());
        spec.usageMessage().footer(exits);
        return Commands.with(spec, more);
    }

    private ExitCode run(CommandLine line, Verb verb) {
        try (Invocation invocation = new Invocation(line, ticker, environment)) {
            return verb.run(invocation);
        } catch (CommandFailure e) {
            return failed(line, e);
        } catch (QuorateException e) {
            return failed(line, CommandFailure.of(e));
        } catch (IOException e) {
            return failed(line, CommandFailure.usage("A file could not be used: " + e));
        }
    }

    private static ExitCode failed(CommandLine line, CommandFailure failure) {
        line.getErr().println(failure.getMessage());
        return failure.exit();
    }

    public static OptionSpec replicas() {
        return option(
                "--replicas",
                "ACK/FROM",
                "ACK of FROM replicas must answer. Default: a majority of three.");
    }

    private static OptionSpec writeVersion() {
        return option(
                "--write-version",
                "VERSION",
                "Repeats a write whose outcome was unknown, under its version.");
    }

    private static ArgSpec[] keyed(ArgSpec... more) {
        OptionSpec encoded = flag("--encoded", "KEY is percent-encoded, as in a URL.");
        Stream<ArgSpec> all = Stream.of(replicas(), encoded, Commands.parameter("KEY", "The key."));
        return Stream.concat(all, Stream.of(more)).toArray(ArgSpec[]::new);
    }

    private ExitCode get(Invocation run) throws IOException, CommandFailure {
        Optional<Entry> found;
        try (QuorateClient client = run.client()) {
            found = client.get(run.key(), run.readOptions());
        }
        if (found.isEmpty()) {
            run.err().println("No such key.");
            run.hintAboutBlanks();
            return ExitCode.NOT_THERE;
        }
        Entry entry = found.get();
        if (run.json()) {
            run.out()
                    .printf(
                            "{\"key\":\"%s\",\"value\":\"%s\",\"version\":\"%s\"}%n",
                            base64(entry.key()),
                            Base64.getEncoder().encodeToString(entry.value()),
                            entry.version());
        } else {
            bytes.write(entry.value());
            bytes.flush();
        }
        return ExitCode.DONE;
    }

    private static String base64(Key key) {
        return Base64.getEncoder().encodeToString(key.bytes());
    }

    private ExitCode put(Invocation run) throws IOException, CommandFailure {
        WriteOptions options = writeOptions(run);
        String ttl = run.option("--ttl");
        WriteOptions all =
                ttl == null ? options : Invocation.valid(() -> options.timeToLive(timeToLive(ttl)));
        byte[] value = run.value(in);
        return write(run, client -> client.put(run.key(), value, repeatable(run, all)));
    }

    private static Duration timeToLive(String text) {
        try {
            return Duration.ofMillis(Units.DURATION.parse(text, 1, Long.MAX_VALUE, "s"));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--ttl=%s: %s.".formatted(text, e.getMessage()), e);
        }
    }

    private ExitCode delete(Invocation run) throws IOException, CommandFailure {
        WriteOptions options = writeOptions(run);
        return write(run, client -> client.delete(run.key(), repeatable(run, options)));
    }

    private static WriteOptions writeOptions(Invocation run) throws CommandFailure {
        Version version = run.writeVersion();
        return version == null ? run.writeOptions() : run.writeOptions().version(version);
    }

    /** With several nodes, a write has one version, so that another node can be tried. */
    private static WriteOptions repeatable(Invocation run, WriteOptions options)
            throws IOException, CommandFailure {
        boolean isPlain = options.version() == null && options.timeToLive() == null;
        return isPlain && run.nodes().size() > 1 ? options.repeatable() : options;
    }

    private interface Write {
        Version by(QuorateClient client) throws IOException, CommandFailure;
    }

    private static ExitCode write(Invocation run, Write write) throws IOException, CommandFailure {
        Version version;
        try (QuorateClient client = run.client()) {
            version = write.by(client);
        }
        if (run.json()) {
            run.out().printf("{\"key\":\"%s\",\"version\":\"%s\"}%n", base64(run.key()), version);
        } else {
            run.out().println(version);
        }
        run.hintAboutBlanks();
        return ExitCode.DONE;
    }

    private ExitCode scan(Invocation run) throws IOException, CommandFailure {
        Range range = range(run);
        long limit =
                run.number(
                        "--limit",
                        1,
                        Long.MAX_VALUE,
                        Long.MAX_VALUE,
                        "--limit is a number of keys, at least one.");
        try (QuorateClient client = run.client(PAGE_ROUNDS)) {
            client.entries(range.pageEntries((int) Math.min(limit, PAGE_ENTRIES)))
                    .limit(limit)
                    .forEach(entry -> run.out().println(run.json() ? entry.toJson() : text(entry)));
        }
        return ExitCode.DONE;
    }

    private static Range range(Invocation run) throws CommandFailure {
        String start = run.option("--start");
        String end = run.option("--end");
        ReadOptions options = run.readOptions();
        return Invocation.valid(
                () ->
                        new Range(
                                start == null ? null : Key.of(start),
                                end == null ? null : Key.of(end),
                                null,
                                false,
                                run.has("--reverse"),
                                PAGE_ENTRIES,
                                options));
    }

    private static String text(Entry entry) {
        return Percent.encode(entry.key().bytes()) + "\t" + Percent.encode(entry.value());
    }

    private ExitCode status(Invocation run) throws IOException, CommandFailure {
        List<Node> nodes = run.has(ONLY) ? run.nodes() : run.members();
        Map<Node, NodeState> states = new LinkedHashMap<>();
        boolean watches = run.has("--watch");
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

    /** The readiness of a node, with the reasons if it is not ready, or the change in progress. */
    private record NodeState(String url, State state, List<String> reasons) {

        enum State {
            READY("ready"),
            NOT_READY("not ready"),
            NOT_REACHED("not reached");

            private final String label;

            State(String label) {
                this.label = label;
            }
        }

        static NodeState of(Node node, int timeoutMillis) {
            try {
                Node.Answer answer = node.ask("GET", "/readyz", timeoutMillis);
                if (answer.status() == 200) {
                    List<String> changes =
                            answer.text()
                                    .lines()
                                    .filter(line -> line.contains("members change"))
                                    .map(line -> line.substring(line.indexOf("in epoch")))
                                    .toList();
                    return new NodeState(node.url(), State.READY, changes);
                }
                List<String> failed = answer.failedChecks();
                return new NodeState(
                        node.url(),
                        answer.status() == 503 ? State.NOT_READY : State.NOT_REACHED,
                        failed.isEmpty() ? List.of(answer.statusLine()) : failed);
            } catch (IOException e) {
                return new NodeState(node.url(), State.NOT_REACHED, List.of(Node.reason(e)));
            }
        }

        boolean isReady() {
            return state == State.READY;
        }

        String text() {
            String why = reasons.isEmpty() ? "" : ": " + String.join("; ", reasons);
            return PrintableWriter.printable(url + "  " + state.label + why);
        }

        String json() {
            return new JsonWriter(128)
                    .beginObject()
                    .field("url", url)
                    .field("state", state.label)
                    .field("reasons", reasons)
                    .endObject()
                    .toString();
        }
    }
}
