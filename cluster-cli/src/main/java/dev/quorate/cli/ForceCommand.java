package dev.quorate.cli;

import dev.quorate.cli.local.Commands;
import dev.quorate.node.directory.DataDirectory;
import dev.quorate.node.directory.DataDirectory.Survivor;
import dev.quorate.node.directory.MemberRecord.Standing;
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

/**
 * The command {@code topology force} for a stopped member of a cluster that has lost the majority
 * of its members for good. Exit codes: 0 done, or shown; 1 refused, and nothing was changed; 2
 * invalid arguments, or a node uses the directory.
 */
record ForceCommand(StorageFiles files) {

    private static final String WITHOUT = "--without";
    private static final String ACCEPT = "--accept-loss";

    static void addTo(CommandLine commandLine, StorageFiles files) {
        commandLine.addSubcommand(
                Commands.group(
                        "topology",
                        "Changes the topology in the directory of a stopped node.",
                        Commands.command(
                                "force",
                                "Removes members that are lost for good from the topology of a"
                                        + " stopped member, if the remaining members are no"
                                        + " majority. Prints what may be lost. Run it for the data"
                                        + " directory of each remaining member.",
                                new ForceCommand(files)::run,
                                Commands.parameter("DIR", "The data directory of the member."),
                                Commands.requiredOption(
                                        WITHOUT, "NAME,NAME", "The members that are lost."),
                                Commands.flag(
                                        ACCEPT, "Records the change. Without it, nothing changes."),
                                Commands.help())));
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
        } catch (IOException | StorageException e) {
            return Commands.fail(
                    line,
                    Commands.reason(e),
                    e instanceof StorageException.InUse
                            ? CommandLine.ExitCode.USAGE
                            : CommandLine.ExitCode.SOFTWARE);
        }
    }

    private static void print(Survivor survivor, String lost, boolean isDone, PrintWriter out) {
        String name = survivor.name();
        out.printf("Without %s, %s may lack:%n", lost, name);
        out.printf(
                "- writes %sthat only %s acknowledged;%n",
                survivor.completeMillis() == 0
                        ? ""
                        : "since " + Timestamp.time(survivor.completeMillis()) + " ",
                lost);
        out.printf("- entries with fewer copies than members, if only %s had them.%n", lost);
        if (survivor.standing() != Standing.WHOLE) {
            out.printf(
                    "- entries that %s had lost before. If no other member remains, it starts only"
                            + " with trust-empty-disk=true.%n",
                    name);
        }
        out.printf(
                "Do not start %s with their data again: they would form the old cluster.%n", lost);
        out.printf(
                isDone
                        ? "Epoch %s is recorded. Start %s with topology=%s and"
                                + " replication-factor=%s.%n"
                        : "Nothing was changed. "
                                + ACCEPT
                                + " records epoch %s, in which %s starts with topology=%s and"
                                + " replication-factor=%s.%n",
                survivor.epoch(),
                name,
                survivor.option(),
                survivor.copies());
        out.flush();
    }
}
