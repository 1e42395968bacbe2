package dev.quorate.cli.local;

import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.runtime.Units;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The nodes that a command asks, and how: the same options for all commands. A flag has precedence
 * over the environment, which has precedence over the default cluster of the file of clusters, and
 * that over the local cluster. The file has lines such as {@code prod.url=db1:8080,db2:8080},
 * {@code prod.token-file=prod.token}, {@code prod.ca=ca.pem} and {@code default=prod}.
 */
public final class Connection implements AutoCloseable {

    public static final String DEFAULT_DATA = ".quorate";

    private static final String URLS = "QUORATE_URL";
    private static final String FILE = "QUORATE_CLUSTERS";
    private static final int MAX_TIMEOUT_MILLIS = 3_600_000;
    private static final String KEYS = "keys are default, NAME.url, NAME.token-file and NAME.ca";
    private static final Pattern KEY =
            Pattern.compile("default|([A-Za-z0-9_-]+)\\.(url|token-file|ca)");

    private final ParseResult parsed;
    private final Map<String, String> environment;
    private final Ticker ticker;
    private @Nullable Target target;

    /**
     * @param urls empty for the nodes of the local cluster
     */
    private record Target(List<String> urls, NodeAccess access) {}

    public Connection(ParseResult parsed, Map<String, String> environment, Ticker ticker) {
        this.parsed = parsed;
        this.environment = environment;
        this.ticker = ticker;
    }

    /** The options, as a mixin. */
    public static CommandSpec options() {
        return Commands.with(
                CommandSpec.create(),
                OptionSpec.builder("--url")
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .splitRegex(",")
                        .paramLabel("URL")
                        .description(
                                "A node, such as 10.0.0.1:8080 or https://db1:8080. With several URLs,"
                                        + " the next one is tried if a node is down. Default:"
                                        + " QUORATE_URL, the default of the file of clusters, or the"
                                        + " running nodes of the cluster in --data.")
                        .build(),
                Commands.option(
                        "--cluster",
                        "NAME",
                        "A cluster of ~/.config/quorate/clusters.properties, or of the file that"
                                + " QUORATE_CLUSTERS names."),
                data(),
                NodeAccess.tokenFile(),
                NodeAccess.ca(),
                Commands.option(
                        "--timeout",
                        "DURATION",
                        "Time a node may take to answer, such as 500ms or 60 (seconds). Default:"
                                + " 10s."),
                Commands.flag(
                        "--json",
                        "Prints data and errors as JSON, with keys and values in Base64."));
    }

    static OptionSpec data() {
        return Commands.option(
                "--data", "DIR", "Directory of a local cluster. Default: " + DEFAULT_DATA + "/.");
    }

    /**
     * Whether these are single nodes, of which none is to be asked for the others.
     *
     * @throws IllegalArgumentException as {@link #nodes}
     */
    public boolean isListed() {
        return target().urls().size() > 1;
    }

    /**
     * The nodes to ask; empty if no local cluster runs.
     *
     * @throws IllegalArgumentException if an option, a variable or a file is invalid
     */
    public List<Node> nodes() throws IOException {
        List<String> urls = target().urls();
        return nodes(urls.isEmpty() ? LocalNodes.runningUrls(Path.of(dataName()), ticker) : urls);
    }

    /** The nodes with these URLs, with the access of this connection. */
    public List<Node> nodes(List<String> urls) {
        NodeAccess access = target().access();
        return urls.stream().map(url -> Node.parse(url, access)).toList();
    }

    /** The directory of the local cluster. */
    public String dataName() {
        return parsed.matchedOptionValue("--data", DEFAULT_DATA);
    }

    public NodeAccess access() {
        return target().access();
    }

    /** The timeout of requests, with a default in seconds. */
    public int timeoutMillis(int defaultSeconds) {
        String text = parsed.matchedOptionValue("--timeout", "" + defaultSeconds);
        try {
            return (int) Units.DURATION.parse(text, 1, MAX_TIMEOUT_MILLIS, "s");
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "--timeout=%s: %s.".formatted(text, e.getMessage()), e);
        }
    }

    private Target target() {
        Target known = target;
        if (known == null) {
            known = resolved();
            target = known;
        }
        return known;
    }

    private Target resolved() {
        List<String> urls = parsed.matchedOptionValue("--url", List.of());
        String name = parsed.matchedOptionValue("--cluster", null);
        String variable = environment.getOrDefault(URLS, "");
        boolean isLocal = parsed.hasMatchedOption("--data");
        boolean isGiven = !urls.isEmpty() || isLocal || !variable.isEmpty();
        Map<String, String> cluster = name != null || !isGiven ? cluster(name) : Map.of();
        List<String> all = new ArrayList<>(urls);
        if (urls.isEmpty() && !(isLocal && name == null)) {
            String text = cluster.getOrDefault("url", variable);
            all.addAll(text.isEmpty() ? List.of() : List.of(text.split(",", -1)));
        }
        String token = parsed.matchedOptionValue(NodeAccess.TOKEN_FILE, null);
        boolean hasVariable = name == null && environment.containsKey(NodeAccess.VARIABLE);
        String tokenFile = token == null && !hasVariable ? cluster.get("token-file") : token;
        String ca = parsed.matchedOptionValue(NodeAccess.CA, cluster.get("ca"));
        return new Target(
                all,
                NodeAccess.of(
                        tokenFile == null ? null : Path.of(tokenFile),
                        ca == null ? null : Path.of(ca),
                        environment));
    }

    /**
     * The settings of a cluster in the file of clusters; files are resolved against its folder.
     *
     * @param name null for the default of the file, which need not exist then
     */
    private Map<String, String> cluster(@Nullable String name) {
        String home = environment.get("HOME");
        String config =
                environment.getOrDefault("XDG_CONFIG_HOME", home == null ? "" : home + "/.config");
        String given = environment.get(FILE);
        if (given == null && config.isEmpty()) {
            return name == null ? Map.of() : refuse("Set " + FILE + " to the file of clusters.");
        }
        Path file = Path.of(given == null ? config + "/quorate/clusters.properties" : given);
        if (name == null && !Files.exists(file)) {
            return Map.of();
        }
        Properties lines = new Properties();
        try {
            lines.load(new StringReader(Files.readString(file)));
        } catch (IOException | IllegalArgumentException e) {
            return refuse("The file of clusters cannot be read: " + Commands.reason(e));
        }
        Map<String, String> settings = new HashMap<>();
        String chosen = name == null ? lines.getProperty("default") : name;
        for (String key : lines.stringPropertyNames()) {
            Matcher matcher = KEY.matcher(key);
            if (!matcher.matches()) {
                return refuse("%s has an unknown key, '%s'; %s.".formatted(file, key, KEYS));
            }
            if (matcher.group(1) != null && matcher.group(1).equals(chosen)) {
                String value = lines.getProperty(key).strip();
                boolean isUrl = matcher.group(2).equals("url");
                settings.put(matcher.group(2), isUrl ? value : "" + file.resolveSibling(value));
            }
        }
        if (chosen != null && !settings.containsKey("url")) {
            return refuse("%s has no key '%s.url'; %s.".formatted(file, chosen, KEYS));
        }
        return settings;
    }

    private static Map<String, String> refuse(String sentence) {
        throw new IllegalArgumentException(sentence);
    }

    /** Ends the threads of the requests, which would delay the exit. */
    @Override
    public void close() {
        if (target != null) {
            target.access().close();
        }
    }
}
