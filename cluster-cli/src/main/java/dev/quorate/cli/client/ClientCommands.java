package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.flag;
import static dev.quorate.cli.local.Commands.option;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.Connection;
import dev.quorate.cli.local.MembersPage;
import dev.quorate.cli.local.Node;
import dev.quorate.client.Condition;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.Range;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.Version;
import dev.quorate.client.WriteOptions;
import dev.quorate.client.WriteResult;
import dev.quorate.node.http.parse.Percent;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.runtime.Units;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The commands {@code get}, {@code put}, {@code delete}, {@code expire} and {@code scan}, and those
 * of {@link StatusCommand}, {@link TransferCommands}, {@link EventsCommand} and {@link
 * MemberCommands}. Their exit codes are those of {@link ExitCode}.
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
            "Exit codes: 0 done; 1 no such key; 2 invalid arguments; 3 no"
                    + " node could do it, and nothing was stored; 4 refused; 5 it is unknown whether"
                    + " the write was stored.";
    private static final String LINEARIZABLE = "--linearizable";
    private static final String EXPLAIN = "--explain";
    private static final String IF_MATCH = "--if-match";
    private static final String IF_ABSENT = "--if-absent";
    private static final String KEYS_ONLY = "--keys-only";
    private static final String COUNT = "--count";

    /** The number of entries of a page without values. */
    static final int PAGE_KEYS = 16_384;

    /** Maximum number of entries of a page of a range; fewer if they are long. */
    static final int PAGE_ENTRIES = 4_096;

    /** The number of attempts for each page and node: under load, nodes refuse some pages. */
    static final int PAGE_ROUNDS = 8;

    public void addTo(CommandLine commandLine) {
        addFrequent(commandLine);
        addRare(commandLine);
    }

    /** Adds the commands of this class, and {@code status}. */
    public void addFrequent(CommandLine commandLine) {
        Commands.add(
                commandLine,
                command(
                        "get",
                        "Prints the value of a key.",
                        this::get,
                        keyed(
                                flag(
                                        LINEARIZABLE,
                                        "The read sees every write that was complete before it"
                                                + " began."),
                                flag(EXPLAIN, "Prints each replica's answer on standard error."))),
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
                                        "Time to live, such as 7d or 60 (seconds)."),
                                option(
                                        "--content-type",
                                        "TYPE",
                                        "Media type of the value, such as text/plain."),
                                ifMatch(),
                                flag(IF_ABSENT, "Only if the key has no value."))),
                command(
                        "delete",
                        "Deletes a key. Prints the tombstone's version.",
                        this::delete,
                        keyed(writeVersion(), ifMatch())),
                command(
                        "expire",
                        "Changes when a value expires. Prints the version.",
                        this::expire,
                        keyed(
                                option(
                                        "--ttl",
                                        "DURATION",
                                        "Time to live, such as 7d or 60 (seconds), or none."),
                                ifMatch())),
                command(
                        "scan",
                        "Prints the keys and values of a range in key order, one entry a line:"
                                + " percent-encoded, with a tab between key and value.",
                        this::scan,
                        replicas(),
                        option("--start", "KEY", "The first key, inclusive. Default: none."),
                        option("--end", "KEY", "The last key, exclusive. Default: none."),
                        option("--prefix", "KEY", "Only the keys that begin with this."),
                        flag("--encoded", "KEY is percent-encoded, as in a URL."),
                        flag("--reverse", "The largest key first."),
                        flag(KEYS_ONLY, "Omits the values."),
                        flag(COUNT, "Prints only the number of keys."),
                        option("--limit", "N", "Maximum number of keys.")));
        new StatusCommand(ticker, pause).addTo(commandLine, this);
    }

    /** Adds the other commands. */
    public void addRare(CommandLine commandLine) {
        new TransferCommands(ticker, in, bytes).addTo(commandLine, this);
        new WatchCommand(pause).addTo(commandLine, this);
        new EventsCommand(pause).addTo(commandLine, this);
        MemberCommands.addTo(commandLine, this);
        TopologyCommands.addTo(commandLine, this, ticker);
    }

    public interface Verb {
        ExitCode run(Invocation invocation) throws IOException, CommandFailure;
    }

    private CommandSpec command(String name, String description, Verb verb, ArgSpec... more) {
        return command(name, description, EXITS, verb, more);
    }

    /** A command with the options of all client commands, and its own. */
    public CommandSpec command(
            String name, String description, String exits, Verb verb, ArgSpec... more) {
        CommandSpec spec =
                Commands.command(
                        name, description, line -> run(line, verb).number(), Commands.help());
        spec.usageMessage().footer(exits);
        return Commands.with(spec, more).addMixin("connection", Connection.options());
    }

    private ExitCode run(CommandLine line, Verb verb) {
        try (Invocation invocation = new Invocation(line, ticker, environment)) {
            return verb.run(invocation);
        } catch (CommandFailure e) {
            return failed(line, e);
        } catch (QuorateException e) {
            return failed(line, CommandFailure.of(e));
        } catch (IOException e) {
            return failed(
                    line, CommandFailure.usage("A file cannot be used: " + Commands.reason(e)));
        }
    }

    private static ExitCode failed(CommandLine line, CommandFailure failure) {
        int exit = failure.exit().number();
        Commands.fail(line, String.valueOf(failure.getMessage()), failure.status(), exit);
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
        ArgSpec[] all = {replicas(), encoded, Commands.parameter("KEY", "The key.")};
        return Commands.both(all, more);
    }

    private static OptionSpec ifMatch() {
        return option(
                IF_MATCH, "VERSION", "Only if the key's value has this version; * is any value.");
    }

    private ExitCode get(Invocation run) throws IOException, CommandFailure {
        if (run.has(EXPLAIN)) {
            return explain(run);
        }
        Optional<Entry> found;
        ReadOptions options = run.readOptions();
        try (QuorateClient client = run.client()) {
            found = client.get(run.key(), run.has(LINEARIZABLE) ? options.linearizable() : options);
        }
        if (found.isEmpty()) {
            return absent(run);
        }
        Entry entry = found.get();
        if (run.json()) {
            run.out()
                    .println(
                            json(run, entry.value())
                                    .field("version", "" + entry.version())
                                    .endObject());
        } else {
            bytes.write(entry.value());
            bytes.flush();
        }
        return ExitCode.DONE;
    }

    private static ExitCode absent(Invocation run) {
        run.hintAboutBlanks();
        return failed(run.line(), new CommandFailure(ExitCode.NOT_THERE, "No such key."));
    }

    private static JsonWriter json(Invocation run, byte[] value) throws CommandFailure {
        return new JsonWriter(value.length * 2 + 128)
                .beginObject()
                .field("key", base64(run.key()))
                .field("value", Base64.getEncoder().encodeToString(value));
    }

    /** Asks the first node that answers, and prints its explanation. */
    private ExitCode explain(Invocation run) throws IOException, CommandFailure {
        ReadOptions.Replicas replicas = run.readOptions().replicas();
        String target =
                "/v0/entity?id=%s&explain=1%s%s"
                        .formatted(
                                Percent.encode(run.key().bytes()),
                                run.has(LINEARIZABLE) ? "&consistency=linearizable" : "",
                                replicas == null ? "" : "&replicas=" + replicas);
        List<String> problems = new ArrayList<>();
        for (Node node : run.nodes()) {
            try {
                return explained(run, node, node.explained(target, run.timeoutMillis()));
            } catch (IOException e) {
                problems.add(node.url() + " cannot be asked: " + Node.reason(e) + ".");
            }
        }
        throw CommandFailure.unavailable(String.join(System.lineSeparator(), problems));
    }

    private ExitCode explained(Invocation run, Node node, Node.Explained answer)
            throws IOException, CommandFailure {
        boolean isFound = answer.status() == 200;
        if (run.json() && isFound) {
            run.out()
                    .println(
                            json(run, answer.body())
                                    .field("explanation", answer.explanation())
                                    .endObject());
            return ExitCode.DONE;
        }
        answer.explanation().forEach(run.err()::println);
        if (isFound) {
            bytes.write(answer.body());
            bytes.flush();
            return ExitCode.DONE;
        }
        if (answer.status() == 404) {
            return absent(run);
        }
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        throw new CommandFailure(
                answer.status() < 500 ? ExitCode.REFUSED : ExitCode.UNAVAILABLE,
                MembersPage.said(node, new Node.Answer(answer.status(), text, 0)));
    }

    private static String base64(Key key) {
        return Base64.getEncoder().encodeToString(key.bytes());
    }

    private ExitCode put(Invocation run) throws IOException, CommandFailure {
        WriteOptions options = writeOptions(run);
        String ttl = run.option("--ttl");
        String type = run.option("--content-type");
        WriteOptions typed = type == null ? options : options.contentType(type);
        WriteOptions all = expiring(typed, ttl);
        Condition condition = condition(run);
        byte[] value = run.value(in);
        return write(
                run,
                client ->
                        condition == null
                                ? client.put(run.key(), value, repeatable(run, all))
                                : met(client.putIf(run.key(), value, condition, all)));
    }

    /** The condition of a write; null for none. */
    private static @Nullable Condition condition(Invocation run) throws CommandFailure {
        String version = run.option(IF_MATCH);
        if (run.has(IF_ABSENT)) {
            if (version != null) {
                throw CommandFailure.usage("Give --if-match or --if-absent, not both.");
            }
            return Condition.ifAbsent();
        }
        if (version == null) {
            return null;
        }
        return version.equals("*")
                ? Condition.ifPresent()
                : Condition.ifMatch(Invocation.version(IF_MATCH, version));
    }

    /** The version of a conditional write that took effect. */
    private static Version met(WriteResult result) throws CommandFailure {
        return switch (result) {
            case WriteResult.Written(Version version) -> version;
            case WriteResult.Unmet(Optional<Version> current) ->
                    throw new CommandFailure(
                            ExitCode.REFUSED,
                            "The condition does not hold, and nothing was stored: the key has "
                                    + current.map(version -> "version " + version)
                                            .orElse("no value, or an unknown version")
                                    + ".");
        };
    }

    private static WriteOptions expiring(WriteOptions options, @Nullable String ttl)
            throws CommandFailure {
        return ttl == null ? options : Invocation.valid(() -> options.timeToLive(timeToLive(ttl)));
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
        Condition condition = condition(run);
        return write(
                run,
                client ->
                        condition == null
                                ? client.delete(run.key(), repeatable(run, options))
                                : met(client.deleteIf(run.key(), condition, options)));
    }

    private ExitCode expire(Invocation run) throws IOException, CommandFailure {
        String ttl = run.option("--ttl");
        if (ttl == null) {
            throw CommandFailure.usage("Give --ttl DURATION, or --ttl none.");
        }
        WriteOptions options = expiring(run.writeOptions(), ttl.equals("none") ? null : ttl);
        Condition given = condition(run);
        Condition condition = given == null ? Condition.ifPresent() : given;
        return write(
                run,
                client -> {
                    WriteResult result = client.expire(run.key(), condition, options);
                    if (result.equals(new WriteResult.Unmet(Optional.empty()))) {
                        throw new CommandFailure(ExitCode.NOT_THERE, "No such key.");
                    }
                    return met(result);
                });
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
        if (run.has(COUNT)) {
            return count(run, range, limit);
        }
        boolean isWhole = !run.has(KEYS_ONLY);
        int page = isWhole ? PAGE_ENTRIES : PAGE_KEYS;
        Range paged = range.pageEntries((int) Math.min(limit, page));
        try (QuorateClient client = run.client(PAGE_ROUNDS)) {
            Stream<Entry> entries = client.entries(isWhole ? paged : paged.keysOnly()).limit(limit);
            entries.forEach(entry -> run.out().println(line(run, entry, isWhole)));
        }
        return ExitCode.DONE;
    }

    private static ExitCode count(Invocation run, Range range, long limit)
            throws IOException, CommandFailure {
        Duration deadline = Duration.ofMillis(run.timeoutMillis(600));
        try (QuorateClient client = run.client()) {
            long keys = client.count(range.options(range.options().deadline(deadline)));
            long count = Math.min(keys, limit);
            run.out().println(run.json() ? "{\"count\":" + count + "}" : "" + count);
        }
        return ExitCode.DONE;
    }

    private static String line(Invocation run, Entry entry, boolean isWhole) {
        if (isWhole) {
            return run.json() ? entry.toJson() : text(entry);
        }
        return run.json()
                ? "{\"key\":\"%s\",\"version\":\"%s\"}"
                        .formatted(base64(entry.key()), entry.version())
                : Percent.encode(entry.key().bytes());
    }

    private static Range range(Invocation run) throws CommandFailure {
        Key start = key(run, "--start");
        Key end = key(run, "--end");
        Key prefix = key(run, "--prefix");
        ReadOptions options = run.readOptions();
        return Invocation.valid(
                () ->
                        new Range(
                                start,
                                end,
                                prefix,
                                false,
                                run.has("--reverse"),
                                PAGE_ENTRIES,
                                options));
    }

    private static @Nullable Key key(Invocation run, String name) throws CommandFailure {
        String typed = run.option(name);
        if (typed == null) {
            return null;
        }
        byte[] key = run.bytes(typed);
        return Invocation.valid(() -> Key.of(key));
    }

    private static String text(Entry entry) {
        return Percent.encode(entry.key().bytes()) + "\t" + Percent.encode(entry.value());
    }
}
