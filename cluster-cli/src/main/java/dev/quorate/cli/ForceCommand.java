package dev.quorate.cli;

import dev.quorate.cli.local.Commands;
import dev.quorate.node.membership.DataDirectory;
import dev.quorate.node.membership.DataDirectory.Survivor;
import dev.quorate.node.membership.MemberRecord.Standing;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command {@code topology force} for a stopped member of a cluster that has lost the majority
 * of its members for good. Exit codes: 0 done, or shown; 1 refused, and nothing was changed; 2
 * invalid arguments, or a node uses the directory.
 */
record ForceCommand(StorageFiles files) {

    private static final String WITHOUT = "--without";
    private static final String ACCEPT = "--accept-loss";

    static void addTo(CommandLine commandLine, StorageFiles files) {
        CommandSpec topology = CommandSpec.create().name("topology");
        topology.usageMessage().description("Changes the topology in a stopped node's directory.");
        topology.addOption(Commands.help());
        CommandLine line = new CommandLine(topology);
        Commands.add(
                line,
                Commands.command(
                        "force",
                        "Lets a stopped member go on without members that are lost for good, when"
                                + " those left are no majority. Prints what may be gone. Run it in"
                                + " the data directory of each member that is left.",
                        new ForceCommand(files)::run,
                        Commands.parameter("DIR", "The data directory of the member."),
                        Commands.requiredOption(
                                WITHOUT, "NAME,NAME", "The members that are lost for good."),
                        Commands.flag(ACCEPT, "Does it. Otherwise nothing is changed."),
                        Commands.help()));
        commandLine.addSubcommand(topology.name(), line);
    }

    private int run(CommandLine line) {
        Path directory = Path.of(line.getParseResult().matchedPositionalValue(0, ""));
        String names = line.getParseResult().matchedOptionValue(WITHOUT, "");
        Set<String> lost = new TreeSet<>(List.of(names.split(",", -1)));
        boolean isAccepted = line.getParseResult().hasMatchedOption(ACCEPT);
        try {
            print(
                    DataDirectory.force(files, directory, lost, isAccepted),
                    String.join(" and ", lost),
                    isAccepted,
                    line.getOut());
            return CommandLine.ExitCode.OK;
        } catch (IOException e) {
            line.getErr().println(e.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
        } catch (StorageException e) {
            line.getErr().println(e.getMessage());
            return e instanceof StorageException.InUse
                    ? CommandLine.ExitCode.USAGE
                    : CommandLine.ExitCode.SOFTWARE;
        }
    }

    private static void print(Survivor survivor, String lost, boolean isDone, PrintWriter out) {
        String name = survivor.name();
        out.printf("%s goes on without %s. May be gone:%n", name, lost);
        out.printf(
                "- writes %sthat no member but %s acknowledged;%n",
                survivor.completeMillis() == 0
                        ? ""
                        : "since " + Timestamp.time(survivor.completeMillis()) + " ",
                lost);
        out.printf("- entries with fewer copies than members, if %s had all of them.%n", lost);
        if (survivor.standing() != Standing.WHOLE) {
            out.printf("- entries that %s had lost before: its data is not complete.%n", name);
        }
        out.printf("Do not start %s again with their data: they would be the old cluster.%n", lost);
        out.printf(
                isDone
                        ? "Recorded, as epoch %s. Start %s with topology=%s and replication-factor=%s.%n"
                        : "Nothing was changed. With "
                                + ACCEPT
                                + " it is epoch %s, and %s has the options topology=%s and"
                                + " replication-factor=%s.%n",
                survivor.epoch(),
                name,
                survivor.option(),
                survivor.copies());
        out.flush();
    }
}
