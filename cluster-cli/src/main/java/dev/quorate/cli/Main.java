package dev.quorate.cli;

import dev.quorate.cli.backup.BackupCommands;
import dev.quorate.cli.client.ClientCommands;
import dev.quorate.cli.doctor.DoctorCommand;
import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.LocalCommands;
import dev.quorate.cli.local.PrintableWriter;
import dev.quorate.node.ClusterNode;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.io.DiskFiles;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.security.Security;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The command line, which {@code ./quorate} starts. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        // A container's name is unknown until it starts, and its address changes when it restarts:
        // Java caches unknown names for ten seconds, and addresses for thirty.
        Security.setProperty("networkaddress.cache.negative.ttl", "0");
        Security.setProperty("networkaddress.cache.ttl", "1");
        // A second attempt would hide the message of the first: "Connection refused".
        System.setProperty("jdk.httpclient.disableRetryConnect", "true");
        String[] words = arguments.length == 0 ? new String[] {"--help"} : arguments;
        if (isDistorted(words, System.getProperty("sun.jnu.encoding", ""))) {
            System.err.println(
                    "An argument is not plain ASCII, and the locale of this process does"
                            + " not say how to read it. Set LC_ALL to a UTF-8 locale.");
            System.exit(CommandLine.ExitCode.USAGE);
        }
        Map<String, String> flags = NodeCommand.plainFlags(words);
        if (flags != null) {
            System.exit(NodeCommand.run(flags, System.getenv()));
        }
        OutputStream pipe = new Pipe(new FileOutputStream(FileDescriptor.out), words[0]);
        System.setOut(
                new PrintStream(new BufferedOutputStream(pipe, 8192), true, System.out.charset()));
        CommandLine commandLine = commandLine(ClusterNode::start, System.getenv(), words[0]);
        System.exit(status(commandLine.execute(words), System.out));
    }

    /** Whether Java may have changed an argument, so that it would name another key or file. */
    static boolean isDistorted(String[] words, String encoding) {
        boolean isUtf8 = encoding.replace("-", "").equalsIgnoreCase("UTF8");
        for (String word : words) {
            if (word.indexOf('\uFFFD') >= 0 || (!isUtf8 && word.chars().anyMatch(c -> c > '~'))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Standard output. If its reader ends, as {@code head} does, it ends the command as SIGPIPE
     * ends other programs, or discards what a command prints that must not leave nodes behind.
     */
    private static final class Pipe extends FilterOutputStream {
        private static final int SIGPIPE = 128 + 13;

        private final boolean endsCommand;

        Pipe(OutputStream out, String command) {
            super(out);
            endsCommand = !List.of("node", "up", "restart", "rehearse").contains(command);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                out.write(bytes, from, length);
            } catch (IOException e) {
                if (!"Broken pipe".equals(e.getMessage())) {
                    throw e;
                }
                if (endsCommand) {
                    Runtime.getRuntime().halt(SIGPIPE);
                }
            }
        }
    }

    /** The exit status of a command, or a failure if {@code out} has recorded a failed write. */
    static int status(int status, PrintStream out) {
        if (!out.checkError() || status != 0) {
            return status;
        }
        System.err.println("Standard output could not be written; it is not complete.");
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** A stream that throws if a write to {@code out} fails; {@code out} only records failures. */
    static OutputStream failing(PrintStream out) {
        OutputStream checked =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        write(new byte[] {(byte) b}, 0, 1);
                    }

                    @Override
                    public void write(byte[] bytes, int from, int length) throws IOException {
                        out.write(bytes, from, length);
                        if (out.checkError()) {
                            throw new IOException("standard output cannot be written");
                        }
                    }
                };
        return new BufferedOutputStream(checked, 64 * 1024);
    }

    /**
     * All commands.
     *
     * @param environment may contain a token, and options of a node
     */
    public static CommandLine commandLine(Map<String, String> environment) {
        return commandLine(ClusterNode::start, environment);
    }

    static CommandLine commandLine(
            NodeCommand.NodeStarter starter, Map<String, String> environment) {
        return commandLine(starter, environment, "");
    }

    /**
     * All commands, or some.
     *
     * @param first the first word of the command line: if it is a frequent command, rare ones are
     *     left out, because describing them takes up to a fifth of its time
     */
    private static CommandLine commandLine(
            NodeCommand.NodeStarter starter, Map<String, String> environment, String first) {
        CommandSpec root = CommandSpec.create().name("quorate");
        root.usageMessage()
                .description("A sharded, replicated key-value cluster that speaks plain HTTP.")
                .footer("", "quorate help COMMAND prints the options of a command.");
        Overview.group(root);
        root.addOption(Commands.help());
        root.addOption(
                OptionSpec.builder("--version")
                        .versionHelp(true)
                        .description("Prints the version.")
                        .build());
        // Only when asked: the class of a node begins to log.
        root.versionProvider(() -> new String[] {"quorate " + ClusterNode.version()});
        CommandLine commandLine = new CommandLine(root);
        Ticker ticker = SystemTicker.INSTANCE;
        OutputStream bytes = failing(System.out);
        ClientCommands clients =
                new ClientCommands(ticker, System.in, bytes, Main::pause, environment);
        clients.addFrequent(commandLine);
        if (!commandLine.getSubcommands().containsKey(first)) {
            clients.addRare(commandLine);
            addOthers(commandLine, clients, starter, environment);
        }
        commandLine.setErr(new PrintWriter(new PrintableWriter(commandLine.getErr()), true));
        return Commands.explained(commandLine);
    }

    private static void addOthers(
            CommandLine commandLine,
            ClientCommands clients,
            NodeCommand.NodeStarter starter,
            Map<String, String> environment) {
        Ticker ticker = SystemTicker.INSTANCE;
        new LocalCommands(nodeCommand(), ticker, new SecureRandom(), System.in, environment)
                .addTo(commandLine);
        new BackupCommands(new DiskFiles(), ticker, Commands::sleepNanos)
                .addTo(commandLine, clients);
        new DoctorCommand(ticker, Main::pause).addTo(commandLine, clients);
        commandLine.addSubcommand("node", NodeCommand.commandLine(starter, environment));
        TokenCommands.addTo(commandLine, new SecureRandom());
        InspectCommands.addTo(commandLine, new DiskFiles());
        ForceCommand.addTo(commandLine, new DiskFiles());
        commandLine.addSubcommand("rehearse", Rehearsal.commandLine(starter));
        commandLine.addSubcommand("help", new CommandLine.HelpCommand());
        Commands.add(commandLine, completion(commandLine));
    }

    /** Waits before the next poll of nodes; false if interrupted. */
    private static boolean pause() {
        return Commands.sleepNanos(TimeUnit.SECONDS.toNanos(2));
    }

    private static CommandSpec completion(CommandLine all) {
        return Commands.command(
                "completion",
                "Prints a script that completes commands, options, nodes and values:"
                        + " source <(./quorate completion bash)",
                line -> {
                    String shell = line.getParseResult().matchedPositionalValue(0, "bash");
                    if (!shell.matches("bash|zsh|fish")) {
                        return Commands.fail(line, "SHELL is bash, zsh or fish.", 2);
                    }
                    all.getOut().println(Overview.completion(all, shell));
                    all.getOut().flush();
                    return 0;
                },
                Commands.optionalParameter(0, "SHELL", "bash, zsh or fish. Default: bash."),
                Commands.help());
    }

    /** The command that starts this program as a node. */
    public static List<String> nodeCommand() {
        return List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), "node");
    }
}
