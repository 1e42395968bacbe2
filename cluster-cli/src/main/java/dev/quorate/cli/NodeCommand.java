package dev.quorate.cli;

import dev.quorate.cli.local.PortOwner;
import dev.quorate.cli.local.PrivateFiles;
import dev.quorate.node.ClusterNode;
import dev.quorate.node.config.ConfigException;
import dev.quorate.node.config.ConfigText;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.node.config.Settings;
import dev.quorate.node.membership.DataDirectory;
import dev.quorate.storage.StorageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code quorate node}: one node in the foreground, until a signal or a fault stops it.
 *
 * <p>Exit codes: 0 after a graceful stop, 1 if it could not start, 2 for a bad configuration, 3 for
 * a fault of the store.
 */
final class NodeCommand implements Callable<Integer> {

    private static final int EXIT_CANNOT_START = 1;
    private static final int EXIT_BAD_CONFIGURATION = 2;
    private static final int EXIT_STORE_FAULT = 3;

    /** Read by logback.xml when the first logger is created. */
    private static final String LOG_FORMAT_PROPERTY = "quorate.log.format";

    /** The file that a local cluster's node writes itself, so that it is rotated. */
    private static final String LOG_FILE_PROPERTY = "quorate.log.file";

    /** May be given without a value, which is then true. */
    private static final String INSECURE = "insecure";

    private final NodeStarter starter;
    private final Map<String, String> environment;
    private final CommandSpec spec;

    private NodeCommand(NodeStarter starter, Map<String, String> environment) {
        this.starter = starter;
        this.environment = environment;
        this.spec = CommandSpec.wrapWithoutInspection(this).name("node");
    }

    /** The command, with an option for every key of the configuration. */
    static CommandLine commandLine(NodeStarter starter, Map<String, String> environment) {
        CommandSpec spec = new NodeCommand(starter, environment).spec;
        spec.usageMessage()
                .description("Runs one node in the foreground.")
                .footer(
                        "",
                        "A flag is stronger than the environment, the environment than the file"
                                + " that --config or QUORATE_CONFIG names, and the file than the"
                                + " default. The file has lines such as port=8080.");
        spec.usageMessage().sortOptions(false).abbreviateSynopsis(true).width(100);
        for (ConfigText.KeyHelp key : ConfigText.keys()) {
            OptionSpec.Builder option =
                    OptionSpec.builder("--" + key.name())
                            .type(String.class)
                            .paramLabel("X")
                            .description(key.description());
            if (key.name().equals(INSECURE)) {
                option.arity("0..1").fallbackValue("true");
            }
            spec.addOption(option.build());
        }
        spec.addOption(
                OptionSpec.builder("--config")
                        .type(String.class)
                        .paramLabel("FILE")
                        .description("A properties file with any of the above.")
                        .build());
        spec.addOption(
                OptionSpec.builder("--print-config")
                        .description(
                                "Prints the effective configuration, secrets masked, and where"
                                        + " each value came from; starts nothing.")
                        .build());
        spec.addOption(
                OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Prints this.")
                        .build());
        // Unknown flags are reported together with everything else that is wrong.
        spec.parser().unmatchedArgumentsAllowed(true);
        return new CommandLine(spec);
    }

    @Override
    public Integer call() throws InterruptedException {
        ParseResult arguments = spec.commandLine().getParseResult();
        PrintWriter err = spec.commandLine().getErr();
        Map<String, String> flags = new HashMap<>();
        for (ConfigText.KeyHelp key : ConfigText.keys()) {
            addFlag(arguments, key.name(), flags);
        }
        addFlag(arguments, "config", flags);
        if (!addUnknown(arguments.unmatched(), flags, err)) {
            return EXIT_BAD_CONFIGURATION;
        }
        NodeOptions options;
        try {
            Settings settings = Settings.resolve(flags, environment, Files::readString);
            options = OptionsReader.read(settings, Files::readString);
            if (arguments.hasMatchedOption("--print-config")) {
                spec.commandLine().getOut().print(ConfigText.effective(options, settings));
                spec.commandLine().getOut().flush();
                return 0;
            }
        } catch (ConfigException e) {
            e.violations().forEach(err::println);
            return EXIT_BAD_CONFIGURATION;
        }
        return run(options);
    }

    private static void addFlag(ParseResult arguments, String name, Map<String, String> flags) {
        String text = arguments.matchedOptionValue("--" + name, null);
        if (text != null) {
            flags.put(name, text);
        }
    }

    /** Adds unknown flags, which are reported later; false for other arguments. */
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

    private int run(NodeOptions options) throws InterruptedException {
        String format = options.logging().format().name().toLowerCase(Locale.ROOT);
        String file = System.getProperty(LOG_FILE_PROPERTY);
        if (file != null) {
            System.setProperty(LOG_FILE_PROPERTY + "." + format, file);
            format += "-file";
        }
        System.setProperty(LOG_FORMAT_PROPERTY, format);
        Logger log = LoggerFactory.getLogger(NodeCommand.class);
        options.warnings().forEach(log::warn);
        ClusterNode node;
        try {
            PrivateFiles.tighten(options.data(), DataDirectory.MEMBER);
            node = starter.start(options, reason -> stopAtOnce(log, reason));
        } catch (StorageException e) {
            log.error("The store cannot be opened: {}", e.getMessage());
            return EXIT_STORE_FAULT;
        } catch (BindException e) {
            log.error("The node cannot start: {}{}", reason(e), portUsers(options.listening()));
            return EXIT_CANNOT_START;
        } catch (IOException e) {
            log.error("The node cannot start: {}", reason(e));
            return EXIT_CANNOT_START;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(log, node), "stop"));
        log.info("{}", node.description());
        new CountDownLatch(1).await();
        return 0;
    }

    /** A sentence for each port of the node that a process uses. */
    static String portUsers(NodeOptions.Listening listening) {
        return Stream.of(listening.port(), listening.peerPort())
                .flatMap(
                        port ->
                                PortOwner.of(port).stream()
                                        .map(
                                                owner ->
                                                        " Port %d is used by %s."
                                                                .formatted(port, owner)))
                .collect(Collectors.joining());
    }

    /** Explains a failure: the message of many file exceptions is only the name of the file. */
    static String reason(IOException e) {
        String file = e instanceof FileSystemException of ? of.getFile() : null;
        return file == null
                ? String.valueOf(e.getMessage())
                : switch (e) {
                    case AccessDeniedException denied ->
                            "this user may not read and write " + file + ".";
                    case NotDirectoryException no -> file + " is not a directory.";
                    case NoSuchFileException no -> file + " does not exist.";
                    case FileAlreadyExistsException exists when isDangling(file) ->
                            file + " is a link to what does not exist: is a disk not mounted?";
                    case FileAlreadyExistsException exists ->
                            file + " is there already, and is not a directory.";
                    default -> e.getMessage() + ".";
                };
    }

    private static boolean isDangling(String file) {
        return Files.isSymbolicLink(Path.of(file)) && !Files.exists(Path.of(file));
    }

    private static void stop(Logger log, ClusterNode node) {
        log.info("Stopping: finishing what is in flight.");
        node.stop();
        log.info("Stopped.");
        // Otherwise the exit code would say that a signal ended the process.
        Runtime.getRuntime().halt(0);
    }

    /**
     * Stops without draining: a write that is acknowledged after this point might not be on disk.
     */
    private static void stopAtOnce(Logger log, String reason) {
        log.error("Stopping at once: {}", reason);
        Runtime.getRuntime().halt(EXIT_STORE_FAULT);
    }
}
