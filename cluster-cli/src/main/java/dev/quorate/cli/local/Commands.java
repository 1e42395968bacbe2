package dev.quorate.cli.local;

import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Creates commands with their options and parameters. */
public final class Commands {

    private Commands() {}

    /** The action of a command. */
    public interface Action {

        /** Runs a parsed command line and returns the exit code. */
        int run(CommandLine line) throws InterruptedException;
    }

    /** A command without options. Its help lists options in the order of their addition. */
    public static CommandSpec command(String name, String description, Action action) {
        CommandSpec[] spec = new CommandSpec[1];
        Callable<Integer> run = () -> action.run(spec[0].commandLine());
        spec[0] = CommandSpec.wrapWithoutInspection(run).name(name);
        spec[0].usageMessage().description(description).sortOptions(false);
        return spec[0];
    }

    public static void add(CommandLine commandLine, CommandSpec command) {
        commandLine.addSubcommand(command.name(), new CommandLine(command));
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
