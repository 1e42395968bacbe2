package dev.quorate.cli.local;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Creates commands with their options and parameters. */
public final class Commands {

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

    public static void add(CommandLine commandLine, CommandSpec... commands) {
        for (CommandSpec command : commands) {
            commandLine.addSubcommand(command.name(), new CommandLine(command));
        }
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
                .paramLabel(label)
                .description(description)
                .build();
    }
}
