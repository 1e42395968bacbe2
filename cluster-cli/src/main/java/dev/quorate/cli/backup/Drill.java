package dev.quorate.cli.backup;

import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.client.ExitCode;
import dev.quorate.cli.local.Amounts;
import dev.quorate.cli.local.Commands;
import dev.quorate.cli.process.CommandException;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.client.Entry;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.Range;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.inspect.StoppedEntries;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command {@code backup drill}: restores a backup into a temporary cluster of one node on this
 * machine, and compares all entries.
 *
 * @param all has the command {@code restore}, which it runs
 */
record Drill(StorageFiles files, Ticker ticker, CommandLine all) {

    private static final String CANNOT = "The backup cannot be restored: ";

    /** The log of a node, and the tables that a compaction replaces. */
    private static final long SPARE_BYTES = 256L << 20;

    CommandSpec command() {
        CommandSpec drill =
                Commands.command(
                        "drill",
                        "Verifies a backup, restores it into a temporary cluster of one node on this"
                                + " machine, compares all entries, and removes the cluster.",
                        this::run,
                        Commands.parameter("FOLDER", "The folder."),
                        Commands.option(
                                "--name", "NAME", "Name of the backup. Default: the latest."),
                        Commands.option(
                                "--data",
                                "DIR",
                                "Directory for the files of the temporary cluster. Default: the"
                                        + " directory for temporary files."),
                        Commands.help());
        drill.usageMessage()
                .footer(
                        "Exit codes: 0 the backup can be restored; 1 it cannot; 2 invalid arguments,"
                                + " or there is no backup; 3 the drill could not be run.");
        return drill;
    }

    private int run(CommandLine line) {
        try {
            drill(line);
            return ExitCode.DONE.number();
        } catch (StorageException e) {
            return fail(line, CANNOT + "it is damaged: " + e.getMessage(), ExitCode.NOT_THERE);
        } catch (CommandFailure e) {
            return fail(line, String.valueOf(e.getMessage()), e.exit());
        } catch (IOException | CommandException | QuorateException e) {
            String why = "The drill could not be run, and says nothing about the backup: ";
            return fail(line, why + Commands.reason(e), ExitCode.UNAVAILABLE);
        }
    }

    private static int fail(CommandLine line, String why, ExitCode exit) {
        return Commands.fail(line, why, exit.number());
    }

    private void drill(CommandLine line) throws IOException, CommandFailure, CommandException {
        ParseResult parsed = line.getParseResult();
        BackupFolder folder =
                new BackupFolder(files, Path.of(parsed.matchedPositionalValue(0, "")));
        String temporary = System.getProperty("java.io.tmpdir");
        Path data = Path.of(parsed.matchedOptionValue("--data", temporary));
        Backup backup = BackupCommands.chosen(folder, parsed.matchedOptionValue("--name", null));
        requireSpace(backup, data);
        long begunNanos = ticker.nanos();
        int verified = folder.verify(backup, BackupFolder.REFUSE);
        begunNanos = print(line, begunNanos, backup.name() + ": " + verified + " files are intact");
        Path root = Files.createTempDirectory(data, "quorate-drill-");
        Path quorate = Path.of(System.getProperty("quorate.home", ""), "quorate").toAbsolutePath();
        ProcessCluster cluster = new ProcessCluster(quorate, root, 1, ProcessCluster.freePorts(1));
        Thread removal = new Thread(() -> remove(cluster, root));
        Runtime.getRuntime().addShutdownHook(removal);
        try {
            cluster.up(List.of());
            String url = cluster.url();
            begunNanos = print(line, begunNanos, "a node is ready at " + url + ", in " + root);
            String[] restore = {
                "restore", folder.folder().toString(), "--name", backup.name(), "--url", url
            };
            int exit = all.execute(restore);
            if (exit != 0) {
                throw different("restore has ended with exit code " + exit);
            }
            begunNanos = print(line, begunNanos, "restored");
            long same = compare(folder, backup, url);
            print(line, begunNanos, "%,d entries are the same".formatted(same));
            line.getOut().println("The backup can be restored.");
        } finally {
            remove(cluster, root);
            Runtime.getRuntime().removeShutdownHook(removal);
        }
    }

    private void requireSpace(Backup backup, Path data) throws IOException, CommandFailure {
        if (!Files.isDirectory(data)) {
            throw CommandFailure.usage(data + " is not a directory; --data names another one.");
        }
        long free = files.freeBytes(data);
        long needed = backup.bytes() + SPARE_BYTES;
        if (free < needed) {
            throw CommandFailure.unavailable(
                    "The drill needs %s in %s, which has %s free; --data names another directory."
                            .formatted(
                                    Amounts.bytes((double) needed),
                                    data,
                                    Amounts.bytes((double) free)));
        }
    }

    /** Prints a step with its duration. Returns when the next one begins. */
    private long print(CommandLine line, long begunNanos, String what) {
        long now = ticker.nanos();
        line.getOut().printf("%6.1f s  %s%n", (now - begunNanos) / 1e9, what);
        line.getOut().flush();
        return now;
    }

    private static CommandFailure different(String why) {
        return new CommandFailure(ExitCode.NOT_THERE, CANNOT + why + ".");
    }

    /** Returns the number of entries; those that may have expired meanwhile may be missing. */
    private static long compare(BackupFolder folder, Backup backup, String url)
            throws IOException, CommandFailure {
        long count = 0;
        try (StoppedEntries stopped = folder.open(backup);
                EntryCursor entries = stopped.scan(new byte[] {0}, null);
                QuorateClient client = QuorateClient.connect(url)) {
            Iterator<Entry> restored = client.entries(Range.all()).iterator();
            Entry found = next(restored);
            Entry expected;
            while ((expected = BackupCommands.nextValue(entries)) != null) {
                if (found != null && isSame(expected, found)) {
                    found = next(restored);
                    count++;
                } else if (expected.expires() == null) {
                    throw different(expected.key() + " is missing or has another value");
                }
            }
            if (found != null) {
                throw different("it does not have " + found.key() + ", and the cluster does");
            }
        }
        return count;
    }

    private static @Nullable Entry next(Iterator<Entry> entries) {
        return entries.hasNext() ? entries.next() : null;
    }

    private static boolean isSame(Entry one, Entry other) {
        return one.key().equals(other.key()) && Arrays.equals(one.value(), other.value());
    }

    /** Also called when the command is interrupted. */
    private synchronized void remove(ProcessCluster cluster, Path root) {
        cluster.close();
        try {
            files.deleteTree(root);
        } catch (IOException e) {
            System.err.println("Delete " + root + ": " + Commands.reason(e));
        }
    }
}
