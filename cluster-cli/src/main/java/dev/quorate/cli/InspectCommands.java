package dev.quorate.cli;

import dev.quorate.cli.backup.BackupFolder;
import dev.quorate.cli.client.Progress;
import dev.quorate.cli.local.Commands;
import dev.quorate.node.directory.DataDirectory;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.inspect.NoStoreException;
import dev.quorate.storage.inspect.Salvage;
import dev.quorate.storage.inspect.Verification;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/**
 * The commands {@code verify} and {@code salvage} for the files of a stopped node. Exit codes: 0; 1
 * if anything is damaged or unreadable; 2 if there is no store, or a node uses it.
 */
final class InspectCommands {

    private static final int FINE = 0;
    private static final int DAMAGED = 1;

    /** The folders between a cluster's directory and its nodes' stores: n1, data, store. */
    private static final int MAX_DEPTH = 3;

    private InspectCommands() {}

    static void addTo(CommandLine commandLine, StorageFiles files) {
        Commands.add(
                commandLine,
                Commands.command(
                        "verify",
                        "Checks all files of a stopped node, of all nodes in a directory, of a checkpoint, or"
                                + " of a backup (which has checksums of files). Prints a line for each damage,"
                                + " with file and offset. Exits with 1 if there is damage, and with 2 if there"
                                + " is no store, or it is in use.",
                        line -> run(line, InspectCommands::verify, files),
                        Commands.help(),
                        Commands.parameter("DIR", "The files to read. Nothing is changed.")),
                Commands.command(
                        "salvage",
                        "Repairs the log of a stopped node that does not start because the log is damaged or"
                                + " lacks a file: keeps all readable records, and lists what it omits. Renames"
                                + " damaged files to end with .damaged. A node with other members does not"
                                + " vote before it has compared its data with them. Run verify first, and"
                                + " keep a copy of DIR. Exits with 1 if the log cannot be repaired, and with 2"
                                + " if there is no store, or it is in use.",
                        line -> run(line, InspectCommands::salvage, files),
                        Commands.help(),
                        Commands.parameter("DIR", "The data directory of one node.")));
    }

    private interface Verb {
        int run(StorageFiles files, Path path, PrintWriter out) throws IOException;
    }

    private static int verify(StorageFiles files, Path directory, PrintWriter out)
            throws IOException {
        int exit = FINE;
        if (BackupFolder.isBackup(files, directory)) {
            exit = verifySums(files, directory, out);
            if (exit != FINE) {
                return exit; // other files in the directory need not belong to the backup
            }
        }
        for (Path store : stores(files, directory)) {
            int[] beside = new int[1];
            DataDirectory.verify(
                    files,
                    store.toAbsolutePath(),
                    problem -> {
                        beside[0]++;
                        out.println(problem.getMessage());
                    });
            Verification.Report report;
            try (Progress progress = Progress.onTerminal(SystemTicker.INSTANCE)) {
                progress.expect(tableBytes(files, store));
                report =
                        Verification.of(
                                files,
                                store,
                                problem -> out.println(store + ": " + problem.getMessage()),
                                bytes -> progress.add(0, bytes));
            }
            long problems = report.problems() + beside[0];
            out.printf(
                    "%s: %s; %s and %s with %s read%s.%n",
                    store,
                    problems == 0 ? "no damage" : count(problems, "damage"),
                    count(report.tables(), "table"),
                    count(report.segments(), "log segment"),
                    count(report.logEntries(), "log record"),
                    report.tornBytes() == 0
                            ? ""
                            : "; " + count(report.tornBytes(), "byte") + " of a torn last write");
            exit = problems == 0 ? exit : DAMAGED;
        }
        return exit;
    }

    private static long tableBytes(StorageFiles files, Path store) throws IOException {
        long bytes = 0;
        for (String name : files.list(store)) {
            boolean isTable = FileNames.parse(name).kind() == FileNames.Kind.TABLE;
            bytes += isTable ? Files.size(store.resolve(name)) : 0;
        }
        return bytes;
    }

    private static int verifySums(StorageFiles files, Path backup, PrintWriter out)
            throws IOException {
        int[] changed = new int[1];
        int compared =
                BackupFolder.verify(
                        files,
                        backup,
                        problem -> {
                            changed[0]++;
                            out.println(problem.getMessage());
                        });
        out.printf(
                "%s: %s compared with their sums; %s.%n",
                backup,
                count(compared, "file"),
                changed[0] == 0 ? "all are what was copied" : count(changed[0], "damage"));
        return changed[0] == 0 ? FINE : DAMAGED;
    }

    /**
     * Salvages one node: two at a time would leave no intact member to compare with. Records the
     * loss first, so that the node never votes before a comparison.
     */
    private static int salvage(StorageFiles files, Path directory, PrintWriter out)
            throws IOException {
        List<Path> stores = new ArrayList<>(stores(files, directory));
        stores.removeIf(store -> store.endsWith("hints"));
        if (stores.size() != 1) {
            throw new NoStoreException(
                    directory + " holds the data of " + stores.size() + " nodes: name one.");
        }
        Path store = stores.getFirst().toAbsolutePath();
        List<String> sentences = new ArrayList<>();
        boolean[] compares = new boolean[1];
        int mended =
                Salvage.of(
                        files,
                        store,
                        () -> compares[0] = DataDirectory.recordLoss(files, store),
                        sentences::add);
        sentences.forEach(out::println);
        if (mended == 0) {
            out.println(store + ": the log is not damaged; nothing was changed.");
        } else {
            out.printf(
                    "%s: %s replaced. %s%n",
                    store,
                    count(mended, "log segment"),
                    compares[0]
                            ? "The node does not vote before it has compared with all others."
                            : "The omitted records are lost: there is no other node to get them from.");
        }
        return FINE;
    }

    private static String count(long count, String what) {
        return "%,d %s%s".formatted(count, what, count == 1 ? "" : "s");
    }

    /**
     * The stores in a directory: the directory itself, or the stores of one node or all nodes.
     * Omits checkpoints, unless the directory is one.
     */
    private static List<Path> stores(StorageFiles files, Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        addStores(files, directory, 0, found);
        if (found.isEmpty()) {
            throw new NoStoreException(directory + " holds no store");
        }
        return found;
    }

    private static void addStores(StorageFiles files, Path directory, int depth, List<Path> found)
            throws IOException {
        List<String> names = files.list(directory);
        if (names.stream().anyMatch(InspectCommands::isOfAStore)) {
            found.add(directory);
            return;
        }
        for (String name : names.stream().sorted().toList()) {
            if (depth < MAX_DEPTH && !name.equals("checkpoints")) {
                try {
                    addStores(files, directory.resolve(name), depth + 1, found);
                } catch (NotDirectoryException e) {
                    // A file, which is of no store.
                }
            }
        }
    }

    private static boolean isOfAStore(String name) {
        return switch (FileNames.parse(name).kind()) {
            case CURRENT, MANIFEST, TABLE, LOG -> true;
            case CURRENT_NEXT, LOCK, FOREIGN -> false;
        };
    }

    private static int run(CommandLine line, Verb verb, StorageFiles files) {
        Path path = Path.of(line.getParseResult().matchedPositionalValue(0, ""));
        try {
            return verb.run(files, path, line.getOut());
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Commands.fail(line, Commands.reason(e), CommandLine.ExitCode.USAGE);
        } catch (StorageException.InUse | NoStoreException e) {
            return Commands.fail(line, String.valueOf(e.getMessage()), CommandLine.ExitCode.USAGE);
        } catch (IOException | StorageException e) {
            return Commands.fail(line, Commands.reason(e), DAMAGED);
        } catch (InternalError e) {
            // The JVM's error for an unreadable page of a mapped file.
            return Commands.fail(line, path + " cannot be read.", DAMAGED);
        } finally {
            line.getOut().flush();
        }
    }
}
