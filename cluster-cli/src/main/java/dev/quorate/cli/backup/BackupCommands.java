package dev.quorate.cli.backup;

import static dev.quorate.cli.local.Commands.flag;
import static dev.quorate.cli.local.Commands.option;

import dev.quorate.cli.client.ClientCommands;
import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.client.ExitCode;
import dev.quorate.cli.client.ImportRun;
import dev.quorate.cli.client.Invocation;
import dev.quorate.cli.client.Progress;
import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.Node;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.Range;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.Version;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.inspect.StoppedEntries;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.io.StorageFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The commands {@code backup}, {@code backup list}, {@code backup drill} and {@code restore}. */
public record BackupCommands(StorageFiles files, Ticker ticker, LongConsumer sleepNanos) {

    private static final String BACKUP_EXITS =
            "Exit codes: 0 the backup is complete; 2 invalid arguments, or the folder cannot be"
                    + " used; 3 a node failed, and there is no backup; 4 refused.";
    private static final String RESTORE_EXITS =
            "Exit codes: 0 complete; 1 the backup does not contain the key; 2 invalid arguments, or"
                    + " the backup is damaged or missing; 3 no node could continue; 4 refused: the"
                    + " cluster contains entries.";
    private static final DateTimeFormatter NOW =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final long MEBIBYTE = 1 << 20;
    private static final long MAX_RATE = 999_999;
    private static final long NO_LIMIT = 0;
    private static final long MAX_KEPT = 9_999;

    /** Less than the limit of a directory: an unfinished backup may get a suffix. */
    private static final int MAX_NAME = 48;

    public void addTo(CommandLine commandLine, ClientCommands commands) {
        CommandSpec backup =
                commands.command(
                        "backup",
                        "Copies a running cluster into a folder: all writes acknowledged before, and"
                                + " possibly later ones. Does not copy tables again that the folder"
                                + " contains. If interrupted, it leaves no backup, and the next run"
                                + " uses the copied files.",
                        BACKUP_EXITS,
                        this::backup,
                        folder("The folder, which may have earlier backups."),
                        option("--name", "NAME", "Its name. Default: the date and time."),
                        option(
                                "--without",
                                "NODE,NODE",
                                "Members that need not answer. Writes that only they have are missing."),
                        option("--rate", "MIB", "Maximum rate in MiB a second. Default: no limit."),
                        option(
                                "--keep",
                                "N",
                                "Then removes all complete backups of the folder but the newest N."
                                        + " Default: removes none."));
        CommandSpec list =
                commands.command(
                        "list",
                        "Prints the complete backups of a folder: name, start, bytes, and nodes.",
                        "Exit codes: 0; 2 the folder cannot be read.",
                        this::list,
                        folder("The folder."));
        CommandSpec restore =
                commands.command(
                        "restore",
                        "Writes the entries of a backup into a running, empty cluster with any number"
                                + " of nodes. The entries get new versions.",
                        RESTORE_EXITS,
                        this::restore,
                        ClientCommands.replicas(),
                        folder("The folder."),
                        option("--name", "NAME", "Name of the backup. Default: the latest."),
                        flag(
                                "--merge",
                                "Restores into a cluster with entries: each entry has its own version, so"
                                        + " that it replaces nothing newer. An entry that is too old for"
                                        + " that is written if its key has no value."),
                        option("--prefix", "KEY", "Only the keys that begin with this."),
                        option(
                                "--key",
                                "KEY",
                                "Only this key, even if the cluster has a newer value."),
                        flag("--encoded", "KEY is percent-encoded, as in a URL."));
        CommandLine line = new CommandLine(backup);
        Commands.add(line, list, new Drill(files, ticker, commandLine).command());
        commandLine.addSubcommand(backup.name(), line);
        Commands.add(commandLine, restore);
    }

    /** Not required by picocli, because {@code list} would then need it twice. */
    private static PositionalParamSpec folder(String description) {
        return Commands.optionalParameter(0, "FOLDER", description);
    }

    private BackupFolder folder(Invocation run) throws CommandFailure {
        String folder = run.positional(0);
        if (folder == null || folder.isEmpty()) {
            throw CommandFailure.usage("FOLDER is needed.");
        }
        return new BackupFolder(files, Path.of(folder));
    }

    private ExitCode backup(Invocation run) throws IOException, CommandFailure {
        BackupFolder folder = folder(run);
        long begunMillis = ticker.wallMillis();
        String name = run.option("--name");
        if (name == null) {
            name = NOW.format(Instant.ofEpochMilli(begunMillis));
        } else if (!BackupFolder.isName(name) || name.length() > MAX_NAME) {
            throw CommandFailure.usage("--name has 1 to 48 of a-z, 0-9 and the hyphen.");
        }
        String without = run.option("--without");
        BackupRun.Members members =
                BackupRun.Members.of(
                        run.members(),
                        without == null ? Set.of() : Set.of(without.split(",", -1)),
                        run.timeoutMillis());
        Progress progress = Progress.onTerminal(ticker);
        long mebibytes =
                run.number(
                        "--rate",
                        1,
                        MAX_RATE,
                        NO_LIMIT,
                        "--rate is a number of MiB a second, from 1 to 999999.");
        NodeCopy.Throttle throttle =
                new NodeCopy.Throttle(ticker, sleepNanos, mebibytes * MEBIBYTE, progress);
        long kept =
                run.number(
                        "--keep",
                        1,
                        MAX_KEPT,
                        MAX_KEPT,
                        "--keep is a number of backups, from 1 to 9999.");
        try (progress;
                Closeable _ = folder.lock()) {
            if (folder.contains(name)) {
                throw CommandFailure.usage("There is a backup '" + name + "' already.");
            }
            Backup made =
                    new BackupRun(files, folder, members, run.timeoutMillis(), throttle, run.err())
                            .run(name, begunMillis);
            run.out().println(run.json() ? json(made) : text(made));
            run.err().printf("%,d bytes were copied.%n", throttle.bytes());
            reportTo(members, run);
            if (kept < MAX_KEPT) {
                for (String each : folder.removeOlder(made, kept)) {
                    run.err().println("Removed " + each + ".");
                }
            }
        } catch (DiskFullException e) {
            throw CommandFailure.usage(
                    ("%s has no space left (%s), so there is no backup. Earlier backups are unchanged."
                                    + " Free space or remove a backup, and run the command again: it"
                                    + " uses the files that were copied.")
                            .formatted(folder.folder(), e.getMessage()));
        } catch (StorageException e) {
            throw damaged(e);
        }
        return ExitCode.DONE;
    }

    /** Lets each node export the time of the backup as a metric. */
    private static void reportTo(BackupRun.Members members, Invocation run) throws CommandFailure {
        for (Node node : members.reached().values()) {
            String problem = null;
            try {
                Node.Answer answer = node.ask("POST", "/admin/backup", run.timeoutMillis());
                problem = answer.status() == 200 ? null : answer.problem();
            } catch (IOException e) {
                problem = Node.reason(e);
            }
            if (problem != null) {
                run.err()
                        .printf(
                                "The backup is complete, but %s was not told, and its metric"
                                        + " quorate_last_backup_timestamp_seconds is unchanged: %s%n",
                                node.url(), problem);
            }
        }
    }

    private static CommandFailure damaged(StorageException e) {
        return CommandFailure.usage("A backup is damaged: " + e.getMessage());
    }

    private ExitCode list(Invocation run) throws IOException, CommandFailure {
        try {
            for (Backup each : folder(run).list()) {
                run.out().println(run.json() ? json(each) : text(each));
            }
        } catch (StorageException e) {
            throw damaged(e);
        }
        return ExitCode.DONE;
    }

    private static String json(Backup backup) {
        return new JsonWriter(256)
                .beginObject()
                .field("name", backup.name())
                .field("begun", Timestamp.time(backup.begunMillis()))
                .field("bytes", backup.bytes())
                .field("nodes", List.copyOf(backup.nodes()))
                .field("missing", List.copyOf(backup.missing()))
                .endObject()
                .toString();
    }

    private static String text(Backup backup) {
        return "%s %s %d %s%s"
                .formatted(
                        backup.name(),
                        Timestamp.time(backup.begunMillis()),
                        backup.bytes(),
                        String.join(",", backup.nodes()),
                        backup.missing().isEmpty()
                                ? ""
                                : " without " + String.join(",", backup.missing()));
    }

    private ExitCode restore(Invocation run) throws IOException, CommandFailure {
        BackupFolder folder = folder(run);
        boolean merges = run.has("--merge");
        String key = run.option("--key");
        String prefix = run.option("--prefix");
        if (key != null && (merges || prefix != null)) {
            throw CommandFailure.usage("--key goes with neither --merge nor --prefix.");
        }
        KeyRange range = range(run, key, prefix);
        try {
            Backup backup = chosen(folder, run.option("--name"));
            ImportRun.Result result;
            try (QuorateClient client = run.client(Integer.MAX_VALUE)) {
                if (!merges && key == null) {
                    requireEmpty(client, range, run.readOptions());
                }
                ImportRun into =
                        new ImportRun(
                                client,
                                run,
                                ticker,
                                merges ? ImportRun.Versions.OWN : ImportRun.Versions.ONE);
                result = restore(folder, backup, range, into);
            }
            return report(run, backup, key, result);
        } catch (StorageException e) {
            throw damaged(e);
        }
    }

    private static ExitCode report(
            Invocation run, Backup backup, @Nullable String key, ImportRun.Result result) {
        run.err()
                .printf(
                        "%d entries of %s stored, %d omitted because their key has a value, %d"
                                + " because they have expired.%n",
                        result.stored(), backup.name(), result.kept(), result.expired());
        if (run.hasConflicts(result)) {
            return ExitCode.REFUSED;
        }
        return key != null && result.stored() == 0 ? ExitCode.NOT_THERE : ExitCode.DONE;
    }

    static Backup chosen(BackupFolder folder, @Nullable String name)
            throws IOException, CommandFailure {
        String named = name == null ? "" : " '" + name + "'";
        return folder.list().stream()
                .filter(each -> name == null || each.name().equals(name))
                .reduce((_, later) -> later)
                .orElseThrow(
                        () ->
                                CommandFailure.usage(
                                        "There is no complete backup%s in %s."
                                                .formatted(named, folder.folder())));
    }

    private static KeyRange range(Invocation run, @Nullable String key, @Nullable String prefix)
            throws CommandFailure {
        if (key != null) {
            byte[] bytes = bytes(run, key);
            return new KeyRange(bytes, KeyRange.after(bytes));
        }
        byte[] start = prefix == null ? new byte[] {0} : bytes(run, prefix);
        return new KeyRange(start, prefix == null ? null : KeyRange.afterPrefix(start));
    }

    private static byte[] bytes(Invocation run, String key) throws CommandFailure {
        if (key.isEmpty()) {
            throw CommandFailure.usage("A key has at least one byte.");
        }
        return run.bytes(key);
    }

    private static void requireEmpty(QuorateClient client, KeyRange keys, ReadOptions options)
            throws CommandFailure {
        Key first = Key.of(keys.start());
        Range range =
                keys.end() == null ? Range.from(first) : Range.between(first, Key.of(keys.end()));
        if (client.entries(range.keysOnly().options(options).pageEntries(1))
                .findFirst()
                .isPresent()) {
            throw new CommandFailure(
                    ExitCode.REFUSED,
                    "The cluster contains entries, so nothing was written. --merge adds those of the"
                            + " backup, also after an interrupted restore.");
        }
    }

    /** Verifies a backup, and writes its entries. */
    private ImportRun.Result restore(
            BackupFolder folder, Backup backup, KeyRange keys, ImportRun into)
            throws IOException, CommandFailure {
        var _ = folder.verify(backup, BackupFolder.REFUSE);
        try (StoppedEntries stopped = folder.open(backup);
                EntryCursor entries = stopped.scan(keys.start(), keys.end())) {
            return into.run(() -> nextValue(entries));
        }
    }

    static @Nullable Entry nextValue(EntryCursor entries) {
        while (entries.next()) {
            dev.quorate.storage.Entry entry = entries.entry();
            if (!entry.isTombstone()) {
                boolean expires = entry.expiresAtMillis() != dev.quorate.storage.Entry.NEVER;
                return new Entry(
                        Key.of(entry.key()),
                        entry.value(),
                        new Version(entry.timestamp().toString()),
                        entry.contentType(),
                        expires ? Instant.ofEpochMilli(entry.expiresAtMillis()) : null);
            }
        }
        return null;
    }
}
