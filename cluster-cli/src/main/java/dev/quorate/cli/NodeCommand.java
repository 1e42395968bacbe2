package dev.quorate.cli;

import dev.quorate.cli.client.JoinRun;
import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.PortOwner;
import dev.quorate.cli.local.PrintableWriter;
import dev.quorate.cli.local.PrivateFiles;
import dev.quorate.node.ClusterNode;
import dev.quorate.node.config.ConfigException;
import dev.quorate.node.config.NodeOption;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.Option;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.node.config.Settings;
import dev.quorate.node.directory.DataDirectory;
import dev.quorate.storage.StorageException;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.BindException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code quorate node}: runs one node in the foreground until a signal or a fault stops it.
 *
 * <p>Exit codes: 0 after a graceful stop, 1 if the node cannot start, 2 for an invalid
 * configuration, 3 for a fault of the store.
 */
final class NodeCommand implements Callable<Integer> {

    private static final int EXIT_CANNOT_START = 1;
    private static final int EXIT_BAD_CONFIGURATION = 2;
    private static final int EXIT_STORE_FAULT = 3;

    /** Read by logback.xml when the first logger is created. */
    private static final String LOG_FORMAT_PROPERTY = "quorate.log.format";

    /** The log file of a node of a local cluster, which the node rotates itself. */
    private static final String LOG_FILE_PROPERTY = "quorate.log.file";

    private final NodeStarter starter;
    private final Map<String, String> environment;
    private final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("node");

    private NodeCommand(NodeStarter starter, Map<String, String> environment) {
        this.starter = starter;
        this.environment = environment;
    }

    /**
     * The texts of a command line of which each word is {@code --option=text}; null for any other.
     * Describing and parsing the command takes a quarter of the start of a node, which such a
     * command line does not need.
     */
    static @Nullable Map<String, String> plainFlags(String[] words) {
        Map<String, String> flags = new HashMap<>();
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            String name = equals > 2 ? words[i].substring(2, equals) : "";
            boolean isKnown = NodeOption.ALL.stream().anyMatch(each -> each.name().equals(name));
            if (!words[i].startsWith("--") || !isKnown || flags.containsKey(name)) {
                return null;
            }
            flags.put(name, words[i].substring(equals + 1));
        }
        return words[0].equals("node") ? flags : null;
    }

    /** Runs a node until it stops, and returns its exit code. */
    static int run(Map<String, String> flags, Map<String, String> environment)
            throws InterruptedException {
        PrintWriter err =
                new PrintWriter(
                        new PrintableWriter(
                                new OutputStreamWriter(System.err, System.err.charset())),
                        true);
        try {
            return run(ClusterNode::start, flags, environment, null, err);
        } catch (RuntimeException e) {
            e.printStackTrace(err);
            return EXIT_CANNOT_START;
        }
    }

    /** The command, with an option for each configuration key. */
    static CommandLine commandLine(NodeStarter starter, Map<String, String> environment) {
        CommandSpec spec = new NodeCommand(starter, environment).spec;
        spec.usageMessage()
                .description("Runs one node in the foreground.")
                .footer(
                        "",
                        "Precedence: flag, environment, file given by --config or QUORATE_CONFIG,"
                                + " default. The file has lines such as port=8080. A DURATION has a"
                                + " unit, ms, s, m, h or d; a SIZE has B, KiB, MiB or GiB; 0 needs"
                                + " none.");
        spec.usageMessage().sortOptions(false).abbreviateSynopsis(true).width(100);
        for (Option<?> each : NodeOption.ALL) {
            OptionSpec.Builder option =
                    OptionSpec.builder("--" + each.name())
                            .type(String.class)
                            .paramLabel(each.label())
                            .description(each.description());
            if (each.isSwitch()) {
                option.arity("0..1").fallbackValue("true");
            }
            spec.addOption(option.build());
        }
        spec.addOption(
                Commands.option("--config", "FILE", "Properties file with any of the above."));
        spec.addOption(
                Commands.flag(
                        "--print-config",
                        "Prints each option's effective value, secrets masked, and its origin."
                                + " Starts nothing."));
        spec.addOption(Commands.help());
        // Unknown flags are reported together with other errors.
        spec.parser().unmatchedArgumentsAllowed(true);
        return new CommandLine(spec);
    }

    @Override
    public Integer call() throws InterruptedException {
        ParseResult arguments = spec.commandLine().getParseResult();
        PrintWriter err = spec.commandLine().getErr();
        Map<String, String> flags = new HashMap<>();
        for (OptionSpec option : arguments.matchedOptions()) {
            if (option.getValue() instanceof String text) {
                flags.put(option.longestName().substring(2), text);
            }
        }
        if (!addUnknown(arguments.unmatched(), flags, err)) {
            return EXIT_BAD_CONFIGURATION;
        }
        boolean prints = arguments.hasMatchedOption("--print-config");
        return run(starter, flags, environment, prints ? spec.commandLine().getOut() : null, err);
    }

    /**
     * Runs a node until it stops.
     *
     * @param printed receives the effective configuration in place of that, unless it is null
     */
    private static int run(
            NodeStarter starter,
            Map<String, String> flags,
            Map<String, String> environment,
            @Nullable PrintWriter printed,
            PrintWriter err)
            throws InterruptedException {
        NodeOptions options;
        try {
            Settings settings = Settings.resolve(flags, environment, Files::readString);
            options = OptionsReader.read(settings);
            if (printed != null) {
                printed.print(options.effective(settings));
                printed.flush();
                return 0;
            }
        } catch (ConfigException e) {
            e.violations().forEach(err::println);
            return EXIT_BAD_CONFIGURATION;
        }
        return run(starter, options);
    }

    /** Adds unknown flags, which are reported later. Returns false for other arguments. */
    private static boolean addUnknown(
            List<String> unmatched, Map<String, String> flags, PrintWriter err) {
        boolean valueMayFollow = false;
        for (String word : unmatched) {
            if (word.startsWith("--")) {
                int equals = word.indexOf('=');
                valueMayFollow = equals < 0;
                flags.put(word.substring(2, valueMayFollow ? word.length() : equals), "");
            } else if (valueMayFollow) {
                valueMayFollow = false;
            } else {
                err.println("'" + word + "' is not understood: options begin with --.");
                return false;
            }
        }
        return true;
    }

    private static int run(NodeStarter starter, NodeOptions options) throws InterruptedException {
        String format = options.get(NodeOption.LOG_FORMAT).name().toLowerCase(Locale.ROOT);
        String file = System.getProperty(LOG_FILE_PROPERTY);
        if (file != null) {
            System.setProperty(LOG_FILE_PROPERTY + "." + format, file);
            format += "-file";
        }
        System.setProperty(LOG_FORMAT_PROPERTY, format);
        Logger log = LoggerFactory.getLogger(NodeCommand.class);
        options.warnings().forEach(log::warn);
        ClusterNode node;
        List<String> join = options.find(NodeOption.JOIN);
        try {
            PrivateFiles.tighten(options.get(NodeOption.DATA), DataDirectory.MEMBER);
            node = start(starter, options, reason -> stopAtOnce(log, reason));
        } catch (IllegalArgumentException e) {
            if (join == null) {
                throw e;
            }
            log.error("The node cannot join: {}", e.getMessage());
            return EXIT_BAD_CONFIGURATION;
        } catch (StorageException e) {
            log.error("The store cannot be opened: {}", e.getMessage());
            return EXIT_STORE_FAULT;
        } catch (IOException e) {
            boolean isTaken = e instanceof BindException;
            String users =
                    isTaken ? portUsers(options.get(NodeOption.PORT), options.peerPort()) : "";
            log.error("The node cannot start: {}{}", Commands.reason(e), users);
            return EXIT_CANNOT_START;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(log, node), "stop"));
        log.info("{}", node.description());
        new CountDownLatch(1).await();
        return 0;
    }

    /** Starts a node, and returns when it belongs to the cluster. Stops it if that refuses it. */
    static ClusterNode start(NodeStarter starter, NodeOptions options, Consumer<String> fatal)
            throws IOException, InterruptedException {
        List<String> join = options.find(NodeOption.JOIN);
        if (join == null) {
            return starter.start(options, fatal);
        }
        JoinRun joining = new JoinRun(options, join);
        ClusterNode node = starter.start(joining.prepared(), fatal);
        try {
            joining.await();
        } catch (IOException e) {
            node.stop();
            throw e;
        }
        return node;
    }

    /** A sentence for each of the ports that a process uses. */
    static String portUsers(int... ports) {
        StringBuilder users = new StringBuilder();
        for (int port : ports) {
            PortOwner.of(port)
                    .ifPresent(
                            owner ->
                                    users.append(" Port %d is used by %s.".formatted(port, owner)));
        }
        return users.toString();
    }

    private static void stop(Logger log, ClusterNode node) {
        log.info("Stopping: finishing what is in flight.");
        node.stop();
        log.info("Stopped.");
        // Otherwise the exit code would be that of a signal.
        Runtime.getRuntime().halt(0);
    }

    /** Stops without draining: a write acknowledged after this point might not be on disk. */
    private static void stopAtOnce(Logger log, String reason) {
        log.error("Stopping at once: {}", reason);
        Runtime.getRuntime().halt(EXIT_STORE_FAULT);
    }

    @FunctionalInterface
    interface NodeStarter {

        /**
         * Starts a node and returns when it serves.
         *
         * @param fatal called on any thread with a sentence when the node must not continue, such
         *     as after a failed fsync
         * @throws java.net.BindException if a port is in use
         * @throws dev.quorate.storage.StorageException if the store cannot be opened
         */
        ClusterNode start(NodeOptions options, Consumer<String> fatal) throws IOException;
    }
}
