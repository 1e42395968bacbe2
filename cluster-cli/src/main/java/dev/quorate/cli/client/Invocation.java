package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.cli.local.NodeAccess;
import dev.quorate.cli.local.RunningNodes;
import dev.quorate.node.http.Percent;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.node.runtime.Units;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** One run of a command: what was given, and where its results go. */
public final class Invocation {

    private static final String DEFAULT_DATA = ".quorate";
    private static final int DEFAULT_SECONDS = 10;
    private static final int MAX_TIMEOUT_MILLIS = 3_600_000;

    /** More than a node takes by default, and less than this program can hold twice. */
    private static final int MAX_VALUE_BYTES = 20 << 20;

    private final CommandSpec spec;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final Map<String, String> environment;
    private final ParseResult parsed;

    Invocation(
            CommandSpec spec,
            Ticker ticker,
            RandomGenerator random,
            Map<String, String> environment) {
        this.spec = spec;
        this.ticker = ticker;
        this.random = random;
        this.environment = environment;
        this.parsed = spec.commandLine().getParseResult();
    }

    public PrintWriter out() {
        return spec.commandLine().getOut();
    }

    public PrintWriter err() {
        return spec.commandLine().getErr();
    }

    public @Nullable String option(String name) {
        return parsed.matchedOptionValue(name, null);
    }

    /** What was given without an option, by its position; null if there is none. */
    public @Nullable String positional(int position) {
        return parsed.matchedPositionalValue(position, null);
    }

    public boolean has(String flag) {
        return parsed.hasMatchedOption(flag);
    }

    public boolean json() {
        return parsed.hasMatchedOption("--json");
    }

    public List<Node> nodes() throws IOException, CommandFailure {
        List<String> urls = parsed.matchedOptionValue("--url", List.of());
        List<Node> nodes = new ArrayList<>();
        String data = parsed.matchedOptionValue("--data", DEFAULT_DATA);
        NodeAccess access = access();
        for (String url : urls.isEmpty() ? RunningNodes.in(Path.of(data), ticker) : urls) {
            nodes.add(Node.parse(url, access));
        }
        if (nodes.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.UNAVAILABLE,
                    "No cluster is running in " + data + "; --url names nodes elsewhere.");
        }
        return nodes;
    }

    private NodeAccess access() throws CommandFailure {
        try {
            return NodeAccess.of(parsed, environment);
        } catch (NodeAccess.InvalidException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }

    public int timeoutMillis() throws CommandFailure {
        return timeoutMillis(DEFAULT_SECONDS);
    }

    /**
     * How long a node may stay silent.
     *
     * @param defaultSeconds if nothing else was given
     */
    public int timeoutMillis(int defaultSeconds) throws CommandFailure {
        String text = parsed.matchedOptionValue("--timeout", "" + defaultSeconds);
        try {
            return (int) Units.DURATION.parse(text, 1, MAX_TIMEOUT_MILLIS, "s");
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(
                    ExitCode.USAGE, "--timeout=%s: %s.".formatted(text, e.getMessage()));
        }
    }

    EntityClient client() throws IOException, CommandFailure {
        return new EntityClient(nodes(), timeoutMillis(), ticker, random);
    }

    private String typedKey() {
        return parsed.matchedPositionalValue(0, "");
    }

    /** Percent-encoded. */
    String key() throws CommandFailure {
        if (!parsed.hasMatchedOption("--encoded")) {
            return encoded(typedKey());
        }
        try {
            return Percent.encode(Percent.decode(typedKey()));
        } catch (Percent.MalformedEscapeException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }

    boolean watches() {
        return parsed.hasMatchedOption("--watch");
    }

    boolean reverses() {
        return parsed.hasMatchedOption("--reverse");
    }

    long limit() throws CommandFailure {
        String limit = option("--limit");
        if (limit == null) {
            return Long.MAX_VALUE;
        }
        if (!limit.matches("[0-9]{1,18}") || Long.parseLong(limit) < 1) {
            throw new CommandFailure(ExitCode.USAGE, "--limit is how many keys, at least one.");
        }
        return Long.parseLong(limit);
    }

    public String query() {
        String replicas = option("--replicas");
        return replicas == null ? "" : "&replicas=" + encoded(replicas);
    }

    @Nullable String writeVersion() throws CommandFailure {
        String version = option("--write-version");
        try {
            return version == null ? null : Timestamp.parse(version).toString();
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(
                    ExitCode.USAGE, "--write-version is a version as an earlier attempt named it.");
        }
    }

    byte[] value(InputStream in) throws IOException, CommandFailure {
        String typed = parsed.matchedPositionalValue(1, null);
        String file = option("--file");
        if (typed != null && file != null) {
            throw new CommandFailure(ExitCode.USAGE, "Give VALUE or --file, not both.");
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
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "The value has more than 20 MiB, which is more than this command sends.");
        }
        return value;
    }

    /** Where a form of HTML would have encoded a blank as a plus, and the API does not. */
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

    public static String encoded(String text) {
        return Percent.encode(text.getBytes(UTF_8));
    }
}
