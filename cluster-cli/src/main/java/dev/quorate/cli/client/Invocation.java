package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.cli.local.Connection;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.NodeAccess;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.Version;
import dev.quorate.client.WriteOptions;
import dev.quorate.node.http.parse.Percent;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** One run of a command: its arguments, its nodes and its output. */
public final class Invocation implements AutoCloseable {

    /** More than the default limit of a node; twice as much fits into the heap of the command. */
    private static final int MAX_VALUE_BYTES = 20 << 20;

    /** Maximum length of an answer: the longest value in Base64. */
    private static final int MAX_ANSWER_BYTES = 32 << 20;

    /** Few, so that the command ends within a second if no node answers. */
    private static final int ROUNDS = 1;

    private final CommandLine line;
    private final ParseResult parsed;
    private final Connection connection;

    Invocation(CommandLine line, Ticker ticker, Map<String, String> environment) {
        this.line = line;
        this.parsed = line.getParseResult();
        this.connection = new Connection(parsed, environment, ticker);
    }

    CommandLine line() {
        return line;
    }

    /** Colours where standard output is a terminal, unless {@code NO_COLOR} is set. */
    CommandLine.Help.Ansi ansi() {
        return line.getColorScheme().ansi();
    }

    public PrintWriter out() {
        return line.getOut();
    }

    public PrintWriter err() {
        return line.getErr();
    }

    public @Nullable String option(String name) {
        return parsed.matchedOptionValue(name, null);
    }

    /** The argument without an option at a position; null if there is none. */
    public @Nullable String positional(int position) {
        return parsed.matchedPositionalValue(position, null);
    }

    /** All arguments without an option. */
    List<String> positionals() {
        return List.of(parsed.matchedPositionalValue(0, new String[0]));
    }

    public boolean has(String flag) {
        return parsed.hasMatchedOption(flag);
    }

    /** Lines of text in JSON, with the URL of the node that has sent them, unless it is empty. */
    static String lines(List<String> lines, String url) {
        JsonWriter json = new JsonWriter(256).beginObject();
        return (url.isEmpty() ? json : json.field("url", url))
                .field("lines", lines)
                .endObject()
                .toString();
    }

    public boolean json() {
        return has("--json");
    }

    /** The nodes that the user names, or else the running nodes of the local cluster. */
    public List<Node> nodes() throws IOException, CommandFailure {
        List<Node> nodes;
        try {
            nodes = connection.nodes();
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
        if (nodes.isEmpty()) {
            throw CommandFailure.unavailable(
                    "No cluster is running in "
                            + connection.dataName()
                            + "; --url names nodes elsewhere, and ./quorate up starts a cluster.");
        }
        return nodes;
    }

    /**
     * All members of the cluster, found through one URL or the local nodes. Several URLs are used
     * as they are, because clients may need other URLs than the members.
     */
    public List<Node> members() throws IOException, CommandFailure {
        List<Node> nodes = nodes();
        if (connection.isListed()) {
            return nodes;
        }
        for (Node node : nodes) {
            List<Node> members = RingPage.members(node, timeoutMillis());
            if (!members.isEmpty()) {
                return members;
            }
        }
        return nodes;
    }

    /** The exit code of a command that has asked all members, some of which failed. */
    static ExitCode exit(int failed, int all) {
        return failed == 0
                ? ExitCode.DONE
                : failed < all ? ExitCode.NOT_THERE : ExitCode.UNAVAILABLE;
    }

    public int timeoutMillis() throws CommandFailure {
        return timeoutMillis(10);
    }

    /** The timeout of requests, with a default in seconds. */
    public int timeoutMillis(int defaultSeconds) throws CommandFailure {
        return valid(() -> connection.timeoutMillis(defaultSeconds));
    }

    public QuorateClient client() throws IOException, CommandFailure {
        return client(ROUNDS);
    }

    /** A client that asks each node at most {@code rounds} times. */
    public QuorateClient client(int rounds) throws IOException, CommandFailure {
        List<Node> nodes = nodes();
        NodeAccess access = connection.access();
        Duration timeout = Duration.ofMillis(timeoutMillis());
        QuorateClient.Builder builder =
                QuorateClient.builder()
                        .nodes(nodes.stream().map(Node::uri).toList())
                        .connectTimeout(Duration.ofSeconds(3))
                        .attemptTimeout(timeout)
                        .deadline(timeout.multipliedBy(nodes.size()))
                        .maxAnswerBytes(MAX_ANSWER_BYTES)
                        .maxRounds(rounds);
        if (access.token() != null) {
            builder = builder.token(access.token());
        }
        SSLContext tls = access.tls(nodes.stream().anyMatch(Node::isTls));
        return (tls == null ? builder : builder.tls(tls)).build();
    }

    public ReadOptions readOptions() throws CommandFailure {
        ReadOptions.Replicas asked = replicas();
        ReadOptions options = ReadOptions.DEFAULT;
        return asked == null ? options : options.replicas(asked.ack(), asked.from());
    }

    public WriteOptions writeOptions() throws CommandFailure {
        ReadOptions.Replicas asked = replicas();
        WriteOptions options = WriteOptions.DEFAULT;
        return asked == null ? options : options.replicas(asked.ack(), asked.from());
    }

    private ReadOptions.@Nullable Replicas replicas() throws CommandFailure {
        String text = option("--replicas");
        if (text == null) {
            return null;
        }
        if (!text.matches("[0-9]{1,3}/[0-9]{1,3}")) {
            throw CommandFailure.usage("--replicas is ACK/FROM, such as 2/3.");
        }
        String[] counts = text.split("/", -1);
        return valid(
                () ->
                        new ReadOptions.Replicas(
                                Integer.parseInt(counts[0]), Integer.parseInt(counts[1])));
    }

    /**
     * The value of an option that is a whole number.
     *
     * @param absent the value without the option
     * @param complaint the message for an invalid value
     */
    public long number(String name, long least, long most, long absent, String complaint)
            throws CommandFailure {
        String text = option(name);
        if (text == null) {
            return absent;
        }
        long number = text.matches("[0-9]{1,18}") ? Long.parseLong(text) : -1;
        if (number < least || number > most) {
            throw CommandFailure.usage(complaint);
        }
        return number;
    }

    /**
     * Converts arguments of the user.
     *
     * @throws CommandFailure if the conversion throws {@link IllegalArgumentException}
     */
    static <T> T valid(Supplier<T> typed) throws CommandFailure {
        try {
            return typed.get();
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }

    private String typedKey() {
        return parsed.matchedPositionalValue(0, "");
    }

    Key key() throws CommandFailure {
        byte[] bytes = bytes(typedKey());
        return valid(() -> Key.of(bytes));
    }

    /** The bytes of a key argument, which is percent-encoded with {@code --encoded}. */
    public byte[] bytes(String typed) throws CommandFailure {
        try {
            return parsed.hasMatchedOption("--encoded")
                    ? Percent.decode(typed)
                    : typed.getBytes(UTF_8);
        } catch (Percent.MalformedEscapeException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }

    @Nullable Version writeVersion() throws CommandFailure {
        String version = option("--write-version");
        return version == null ? null : version("--write-version", version);
    }

    static Version version(String option, String text) throws CommandFailure {
        try {
            return new Version(text);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(option + " is a version as a command has printed it.");
        }
    }

    byte[] value(InputStream in) throws IOException, CommandFailure {
        String typed = parsed.matchedPositionalValue(1, null);
        String file = option("--file");
        if (typed != null && file != null) {
            throw CommandFailure.usage("Give VALUE or --file, not both.");
        }
        if (typed != null) {
            return typed.getBytes(UTF_8);
        }
        byte[] value;
        if (file == null) {
            value = in.readNBytes(MAX_VALUE_BYTES + 1);
        } else {
            try (InputStream open = Files.newInputStream(Path.of(file))) {
                value = open.readNBytes(MAX_VALUE_BYTES + 1);
            }
        }
        if (value.length > MAX_VALUE_BYTES) {
            throw CommandFailure.usage(
                    "The value has more than 20 MiB, which is more than this command sends.");
        }
        return value;
    }

    /** Whether an import omitted entries whose version another write has; prints their number. */
    public boolean hasConflicts(ImportRun.Result result) {
        if (result.others() > 0) {
            err().printf(
                            "%d omitted because another write has their version, with another"
                                    + " value.%n",
                            result.others());
        }
        return result.others() > 0;
    }

    @Override
    public void close() {
        out().flush();
        connection.close();
    }

    /** Warns of a plus in the key, which is a blank in an HTML form, but a plus in the API. */
    void hintAboutBlanks() {
        if (!parsed.hasMatchedOption("--encoded") && typedKey().contains("+")) {
            err().println(
                            "The key contains a plus sign. In a URL of this API + is a plus, and a"
                                    + " blank is %20: a library that writes + for a blank means"
                                    + " another key.");
        } else if (typedKey().contains(" ")) {
            err().println(
                            "The key contains a blank, which is %20 in a URL of this API: a"
                                    + " library that writes + for it means another key.");
        }
    }
}
