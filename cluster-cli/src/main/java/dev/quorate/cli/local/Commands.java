package dev.quorate.cli.local;

import dev.quorate.node.http.HttpStatus;
import dev.quorate.node.json.JsonWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Creates commands with their options and parameters. */
public final class Commands {

    /** Among completed values: the nodes of the cluster in {@link Connection#DEFAULT_DATA}. */
    public static final String NODES = "%nodes%";

    /** The values that shells complete, by the label of an option or parameter. */
    private static final Map<String, List<String>> VALUES =
            Map.of(
                    "NODE", List.of(NODES),
                    "ROLE", List.of("read", "write", "admin"),
                    "LEVEL", List.of("error", "warn", "info", "debug", "trace", "inherited"),
                    "ACK/FROM", List.of("1/1", "1/3", "2/3", "3/3"),
                    "SHELL", List.of("bash", "zsh", "fish"));

    private Commands() {}

    public interface Action {

        /** Runs a parsed command line and returns the exit code. */
        int run(CommandLine line) throws InterruptedException;
    }

    /** A command with its options and parameters. Its help lists options in this order. */
    public static CommandSpec command(
            String name, String description, Action action, ArgSpec... arguments) {
        CommandSpec[] spec = new CommandSpec[1];
        Callable<Integer> run = () -> action.run(spec[0].commandLine());
        spec[0] = CommandSpec.wrapWithoutInspection(run).name(name);
        spec[0].usageMessage().description(description).sortOptions(false);
        return with(spec[0], arguments);
    }

    /** A command that only has subcommands. */
    public static CommandLine group(String name, String description, CommandSpec... commands) {
        CommandSpec spec = CommandSpec.create().name(name);
        spec.usageMessage().description(description);
        spec.addOption(help());
        CommandLine line = new CommandLine(spec);
        add(line, commands);
        return line;
    }

    public static CommandSpec with(CommandSpec spec, ArgSpec... arguments) {
        List.of(arguments).forEach(spec::add);
        return spec;
    }

    /** Arguments, and some more. */
    public static ArgSpec[] both(ArgSpec[] some, ArgSpec... more) {
        return Stream.concat(Stream.of(some), Stream.of(more)).toArray(ArgSpec[]::new);
    }

    public static void add(CommandLine commandLine, CommandSpec... commands) {
        for (CommandSpec command : commands) {
            commandLine.addSubcommand(command.name(), new CommandLine(command));
        }
    }

    /**
     * Prints a failure in sentences, or with {@code --json} as a problem (RFC 9457).
     *
     * @param status the HTTP status of a node's answer; 0 for none
     * @return the exit code
     */
    public static int fail(CommandLine line, String sentences, int status, int exit) {
        ParseResult parsed = line.getParseResult();
        boolean isJson = parsed != null && parsed.hasMatchedOption("--json");
        line.getOut().flush();
        line.getErr().println(isJson ? problem(sentences, status, exit) : sentences);
        line.getErr().flush();
        return exit;
    }

    public static int fail(CommandLine line, String sentences, int exit) {
        return fail(line, sentences, 0, exit);
    }

    private static String problem(String sentences, int status, int exit) {
        JsonWriter json = new JsonWriter(256).beginObject().field("type", "about:blank");
        if (status > 0) {
            json.field("title", HttpStatus.reason(status)).field("status", status);
        }
        return json.field("detail", sentences).field("exit", exit).endObject().toString();
    }

    /** Has a program say in one sentence what is wrong with its arguments. */
    public static CommandLine explained(CommandLine commandLine) {
        return commandLine.setParameterExceptionHandler(
                (bad, words) -> {
                    CommandLine command = bad.getCommandLine();
                    String sentences = misuse(bad, command.getCommandSpec());
                    boolean isJson = List.of(words).contains("--json");
                    int exit = CommandLine.ExitCode.USAGE;
                    command.getErr().println(isJson ? problem(sentences, 0, exit) : sentences);
                    return exit;
                });
    }

    private static String misuse(ParameterException bad, CommandSpec command) {
        String message = String.valueOf(bad.getMessage());
        String similar = "";
        if (bad instanceof UnmatchedArgumentException unmatched) {
            boolean isOption = unmatched.isUnknownOption();
            String kind =
                    isOption ? "option" : command.subcommands().isEmpty() ? "argument" : "command";
            message = "Unknown %s '%s'".formatted(kind, unmatched.getUnmatched().getFirst());
            List<String> names = unmatched.getSuggestions();
            similar = names.isEmpty() ? "" : " Did you mean " + String.join(" or ", names) + "?";
        }
        String ended = message.replaceFirst("\\.?$", "").replaceAll("\\R", " ");
        return "%s.%s %s --help says more.".formatted(ended, similar, command.qualifiedName());
    }

    /** Describes a failure: the message of many file exceptions is only the name of the file. */
    public static String reason(Exception e) {
        String file = e instanceof FileSystemException of ? of.getFile() : null;
        return file == null
                ? String.valueOf(e.getMessage())
                : switch (e) {
                    case AccessDeniedException denied ->
                            "this user may not read and write " + file + ".";
                    case NotDirectoryException no -> file + " is not a directory.";
                    case NoSuchFileException no -> file + " does not exist.";
                    case FileAlreadyExistsException exists
                            when Files.isSymbolicLink(Path.of(file))
                                    && !Files.exists(Path.of(file)) ->
                            file + " is a link to what does not exist: is a disk not mounted?";
                    case FileAlreadyExistsException exists ->
                            file + " is there already, and is not a directory.";
                    default -> e.getMessage() + ".";
                };
    }

    /** Waits; false if interrupted. */
    public static boolean sleepNanos(long nanos) {
        try {
            return !new CountDownLatch(1).await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    public static OptionSpec help() {
        return OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Prints this.")
                .build();
    }

    /** An option without a value. */
    public static OptionSpec flag(String name, String description) {
        return OptionSpec.builder(name).description(description).build();
    }

    /** An option whose value is text. */
    public static OptionSpec option(String name, String label, String description) {
        return option(name, label, description, String.class, false);
    }

    /** An option whose value is a whole number. */
    public static OptionSpec number(String name, String label, String description) {
        return option(name, label, description, Integer.class, false);
    }

    /** An option that must be given. */
    public static OptionSpec requiredOption(String name, String label, String description) {
        return option(name, label, description, String.class, true);
    }

    private static OptionSpec option(
            String name, String label, String description, Class<?> type, boolean required) {
        return OptionSpec.builder(name)
                .required(required)
                .type(type)
                .completionCandidates(VALUES.get(label))
                .paramLabel(label)
                .description(description)
                .build();
    }

    /** The first parameter, which must be given. */
    public static PositionalParamSpec parameter(String label, String description) {
        return parameter("0", "1", String.class, label, description);
    }

    /** A parameter that may be left out. */
    public static PositionalParamSpec optionalParameter(
            int index, String label, String description) {
        return parameter(Integer.toString(index), "0..1", String.class, label, description);
    }

    /** All parameters, if any. */
    public static PositionalParamSpec parameters(String label, String description) {
        return parameter("0..*", "0..*", String[].class, label, description);
    }

    /** The error message for a value outside {@code least} to {@code most}. */
    public static Optional<String> violation(String option, long value, long least, long most) {
        return value >= least && value <= most
                ? Optional.empty()
                : Optional.of(
                        "%s must be %d to %d, but is %d.".formatted(option, least, most, value));
    }

    private static PositionalParamSpec parameter(
            String index, String arity, Class<?> type, String label, String description) {
        return PositionalParamSpec.builder()
                .index(index)
                .arity(arity)
                .required(arity.equals("1"))
                .type(type)
                .completionCandidates(VALUES.get(label))
                .paramLabel(label)
                .description(description)
                .build();
    }
}
