package dev.quorate.cli.backup;

import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.client.ExitCode;
import dev.quorate.cli.local.Amounts;
import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.LocalNodes;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.NodeAccess;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.client.Entry;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.Range;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.inspect.StoppedEntries;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command {@code backup drill}: restores a backup into a temporary cluster of one node on this
 * machine, by the command {@code restore}, and compares all entries.
 *
 * @param commands the commands with which it shares what they use
 */
record Drill(BackupCommands commands) {

    private static final String EXITS =
            "Exit codes: 0 the backup can be restored; 1 it cannot; 2 invalid arguments, or there"
                    + " is no backup; 3 the drill could not be run.";

    private static final String NODE = "n1";
    private static final Duration READY_LIMIT = Duration.ofSeconds(60);
    private static final long PAUSE_NANOS = 100_000_000;
    private static final int ASK_MILLIS = 2_000;
    private static final int MAX_ANSWER_BYTES = 32 << 20;

    /** The log of a node, and the tables that a compaction replaces. */
    private static final long SPARE_BYTES = 256L << 20;

    /**
     * @param all has the command {@code restore}
     */
    CommandSpec command(CommandLine all) {
        CommandSpec drill =
                Commands.command(
                        "drill",
                        "Verifies a backup, restores it into a temporary cluster of one node on this"
                                + " machine, compares all entries, and removes the cluster.",
                        line -> run(line, all),
                        Commands.parameter("FOLDER", "The folder."),
                        Commands.option(
                                "--name", "NAME", "Name of the backup. Default: the latest."),
                        Commands.option(
                                "--data",
                                "DIR",
                                "Where the temporary cluster has its files. Default: the system's"
                                        + " directory for temporary files."),
                        Commands.help());
        drill.usageMessage().footer(EXITS);
        return drill;
    }

    private int run(CommandLine line, CommandLine all) {
        ParseResult parsed = line.getParseResult();
        String parent = System.getProperty("java.io.tmpdir");
        String name = parsed.matchedOptionValue("--name", null);
        Path data = Path.of(parsed.matchedOptionValue("--data", parent));
        BackupFolder folder =
                new BackupFolder(commands.files(), Path.of(parsed.matchedPositionalValue(0, "")));
        try {
            Backup backup = BackupCommands.chosen(folder, name);
            requireSpace(backup, data);
            Steps steps = new Steps(line.getOut());
            int files =
                    folder.verify(
                            backup,
                            problem -> {
                                throw problem;
                            });
            steps.done(
                    "%s: %,d files of %s are intact"
                            .formatted(backup.name(), files, String.join(", ", backup.nodes())));
            restored(folder, backup, data, all, steps);
            line.getOut().println("The backup can be restored.");
            line.getOut().flush();
            return ExitCode.DONE.number();
        } catch (StorageException e) {
            return unusable(line, "it is damaged: " + e.getMessage());
        } catch (CommandFailure e) {
            if (e.exit() == ExitCode.NOT_THERE) {
                return unusable(line, String.valueOf(e.getMessage()));
            }
            return Commands.fail(line, String.valueOf(e.getMessage()), e.exit().number());
        } catch (IOException | QuorateException e) {
            return Commands.fail(
                    line,
                    "The drill could not be run, and says nothing about the backup: "
                            + Commands.reason(e),
                    ExitCode.UNAVAILABLE.number());
        }
    }

    private static int unusable(CommandLine line, String why) {
        return Commands.fail(
                line, "The backup cannot be restored: " + why, ExitCode.NOT_THERE.number());
    }

    private void requireSpace(Backup backup, Path data) throws IOException, CommandFailure {
        if (!Files.isDirectory(data)) {
            throw CommandFailure.usage(data + " is not a directory; --data names another one.");
        }
        long free = commands.files().freeBytes(data);
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

    private void restored(
            BackupFolder folder, Backup backup, Path data, CommandLine all, Steps steps)
            throws IOException, CommandFailure {
        Path root = Files.createTempDirectory(data, "quorate-drill-");
        LocalNodes nodes =
                LocalNodes.create(
                        root,
                        1,
                        ProcessCluster.freePorts(1),
                        commands.nodeCommand(),
                        _ -> List.of(),
                        commands.ticker(),
                        commands.random());
        Thread atExit = new Thread(() -> remove(nodes, root));
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            nodes.start(NODE);
            URI url = nodes.url(NODE);
            awaitReady(nodes, new Node(url.toString(), NodeAccess.NONE));
            steps.done("a temporary node is ready at %s, with its data in %s".formatted(url, root));
            int exit =
                    all.execute(
                            "restore",
                            folder.folder().toString(),
                            "--name",
                            backup.name(),
                            "--url",
                            url.toString());
            if (exit != 0) {
                throw new CommandFailure(ExitCode.NOT_THERE, "restore ended with " + exit + ".");
            }
            steps.done("restored");
            long same = compare(folder, backup, url);
            steps.done("%,d entries are the same".formatted(same));
        } finally {
            remove(nodes, root);
            Runtime.getRuntime().removeShutdownHook(atExit);
        }
    }

    private void awaitReady(LocalNodes nodes, Node node) throws IOException, CommandFailure {
        long deadline = commands.ticker().nanos() + READY_LIMIT.toNanos();
        while (!isReady(node)) {
            if (nodes.running(NODE).isEmpty() || commands.ticker().nanos() - deadline >= 0) {
                throw CommandFailure.unavailable(
                        "The temporary node did not become ready; " + nodes.lastLogLines(NODE));
            }
            commands.sleepNanos().accept(PAUSE_NANOS);
        }
    }

    private static boolean isReady(Node node) {
        try {
            return node.ask("GET", "/readyz", ASK_MILLIS).status() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the number of entries; those that may have expired meanwhile may be missing. */
    private static long compare(BackupFolder folder, Backup backup, URI url)
            throws IOException, CommandFailure {
        long count = 0;
        try (StoppedEntries stopped = folder.open(backup);
                EntryCursor entries = stopped.scan(new byte[] {0}, null);
                QuorateClient client =
                        QuorateClient.builder()
                                .nodes(List.of(url))
                                .maxAnswerBytes(MAX_ANSWER_BYTES)
                                .build()) {
            Iterator<Entry> restored = client.entries(Range.all()).iterator();
            Entry found = next(restored);
            Entry expected;
            while ((expected = BackupCommands.nextValue(entries)) != null) {
                if (found != null && isSame(expected, found)) {
                    found = next(restored);
                    count++;
                } else if (expected.expires() == null) {
                    throw new CommandFailure(
                            ExitCode.NOT_THERE,
                            "the entry " + expected.key() + " is missing or has another value.");
                }
            }
            if (found != null) {
                throw new CommandFailure(
                        ExitCode.NOT_THERE,
                        "it has no entry " + found.key() + ", and the cluster has.");
            }
        }
        return count;
    }

    private static @Nullable Entry next(Iterator<Entry> entries) {
        return entries.hasNext() ? entries.next() : null;
    }

    private static boolean isSame(Entry one, Entry other) {
        return one.key().equals(other.key())
                && Arrays.equals(one.value(), other.value())
                && Objects.equals(one.contentType(), other.contentType());
    }

    /** Stops the node and deletes its files, also when the command is interrupted. */
    private synchronized void remove(LocalNodes nodes, Path root) {
        try {
            nodes.kill(NODE);
            commands.files().deleteTree(root);
        } catch (IOException e) {
            System.err.println("Delete " + root + ": " + Commands.reason(e));
        }
    }

    /** Prints each step with its duration. */
    private final class Steps {

        private final PrintWriter out;
        private long begunNanos = commands.ticker().nanos();

        Steps(PrintWriter out) {
            this.out = out;
        }

        void done(String what) {
            long now = commands.ticker().nanos();
            out.printf("%6.1f s  %s%n", (now - begunNanos) / 1e9, what);
            out.flush();
            begunNanos = now;
        }
    }
}
