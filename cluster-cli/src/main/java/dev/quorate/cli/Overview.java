package dev.quorate.cli;

import dev.quorate.cli.local.Commands;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** All commands at once: as help in groups, and as scripts that complete what is typed. */
final class Overview {

    /** The commands by groups, as the help lists them. */
    static final String GROUPS =
            """
            Data:
              get         Prints the value of a key.
              put         Stores a value.
              delete      Deletes a key.
              expire      Changes when a value expires.
              scan        Prints or counts the keys of a range.
              watch       Prints the value of a key, and again after each change.
              export      Writes all entries to a file.
              import      Stores the entries of an export.
              why         Shows what each node stores of a key.
            Cluster:
              status      Shows the members, and which requests would fail now.
              doctor      Finds problems, and names the section that helps.
              events      Prints recent events of all nodes.
              member      Shows, changes and restarts the members.
              repair      Makes replicas that differ the same.
              checkpoint  Copies the data of each node by hard links.
              backup      Copies a running cluster into a folder.
              restore     Writes a backup into a running cluster.
              log-level   Shows and changes what nodes log.
              metrics     Prints the metrics of each node.
              secret      Checks a rotation of the secret before its next step.
              support     Collects what a bug report needs in one archive.
            Nodes on this machine:
              up          Starts a cluster.
              down        Stops it.
              start       Starts a node again.
              stop        Stops a node gracefully.
              kill        Kills a node, as a crash would.
              restart     Restarts all nodes without a failed request.
              logs        Prints the logs of nodes.
              node        Runs one node in the foreground.
              health      Asks the node of this machine whether it is ready.
            Files:
              token       Adds, lists and revokes access tokens.
              cert        Makes certificates for TLS.
              verify      Checks the files of a stopped node, or a backup.
              salvage     Repairs the log of a stopped node.
              topology    Lets a stopped member continue without a lost majority.
            Measuring, in a source checkout:
              bench       Measures the storage engine, or compares two builds.
              report      Writes a load report.
              sim         Simulates clusters with faults, and checks them.
              check       Injects faults into a real cluster, and checks it.
            Other:
              completion  Prints a script that completes commands: bash, zsh or fish.
              help        Prints this, or the help of a command.
            """;

    private static final String NODES_OF_BASH =
            "$(cd .quorate 2>/dev/null && ls -d n[0-9]* 2>/dev/null)";
    private static final String NODES_OF_FISH =
            "(command ls .quorate 2>/dev/null | grep '^n[0-9]')";

    private Overview() {}

    /** Has the help of {@code quorate} list its commands in groups. */
    static void group(CommandSpec root) {
        root.usageMessage().commandListHeading("%n");
        root.usageMessage()
                .sectionMap()
                .put(
                        UsageMessageSpec.SECTION_KEY_COMMAND_LIST,
                        help -> colored(help.colorScheme()));
    }

    private static String colored(Help.ColorScheme colors) {
        return GROUPS.lines()
                        .map(
                                line ->
                                        line.startsWith(" ")
                                                ? "  "
                                                        + colors.commandText(line.substring(2, 12))
                                                        + line.substring(12)
                                                : colors.ansi().string("@|bold " + line + "|@"))
                        .collect(Collectors.joining(System.lineSeparator()))
                + System.lineSeparator();
    }

    /** A script that completes commands, options and some of their values. */
    static String completion(CommandLine all, String shell) {
        if (shell.equals("fish")) {
            List<String> lines = new ArrayList<>(List.of("complete -c quorate -f"));
            addFish(all, "__fish_use_subcommand", "", lines);
            return String.join(System.lineSeparator(), lines);
        }
        // Without candidates, names of files are completed.
        return AutoComplete.bash("quorate", all)
                .replace("  type compopt &>/dev/null && compopt +o default\n", "")
                .replace("\"" + Commands.NODES + "\"", NODES_OF_BASH);
    }

    /**
     * Adds the options, values and commands below a command.
     *
     * @param isNext the condition that one of its commands may come next
     * @param isSeen the condition that its name was typed; empty for the root
     */
    private static void addFish(
            CommandLine line, String isNext, String isSeen, List<String> lines) {
        CommandSpec command = line.getCommandSpec();
        for (OptionSpec option : command.options()) {
            String name = option.longestName().replaceFirst("^--", "");
            String value = option.arity().max() == 0 ? "" : " -r" + fishValues(option);
            add(isSeen, "-l " + name + value, first(option.description()), lines);
        }
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            String values = fishValues(parameter);
            if (!values.isEmpty()) {
                add(isSeen, values.strip(), "", lines);
            }
        }
        Set<CommandLine> below = new LinkedHashSet<>(line.getSubcommands().values());
        below.removeIf(each -> each.getCommandSpec().usageMessage().hidden());
        for (CommandLine each : below) {
            CommandSpec spec = each.getCommandSpec();
            add(isNext, "-a " + spec.name(), first(spec.usageMessage().description()), lines);
            String seen = "__fish_seen_subcommand_from " + spec.name();
            String both = isSeen.isEmpty() ? seen : isSeen + "; and " + seen;
            String names = String.join(" ", each.getSubcommands().keySet());
            addFish(each, both + "; and not __fish_seen_subcommand_from " + names, both, lines);
        }
    }

    /** The values of an option or parameter, or names of files if those may be any. */
    private static String fishValues(ArgSpec argument) {
        if (argument.completionCandidates() != null) {
            String values = String.join(" ", argument.completionCandidates());
            return " -a " + quoted(values.replace(Commands.NODES, NODES_OF_FISH));
        }
        return argument.paramLabel().matches("FILE|DIR|FOLDER") ? " -F" : "";
    }

    private static void add(String when, String what, String text, List<String> lines) {
        String condition = when.isEmpty() ? "" : "-n " + quoted(when) + " ";
        String description = text.isEmpty() ? "" : " -d " + quoted(text);
        lines.add("complete -c quorate " + condition + what + description);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    /** The first sentence of a description. */
    private static String first(String... description) {
        return String.join(" ", description).replaceFirst("(?s)\\. .*", ".");
    }
}
