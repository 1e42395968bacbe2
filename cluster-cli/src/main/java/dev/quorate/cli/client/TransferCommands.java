package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.flag;
import static dev.quorate.cli.local.Commands.option;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.cli.local.Commands;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.Range;
import dev.quorate.client.ReadOptions;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.KeyRange;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The commands {@code export} and {@code import}.
 *
 * @param in the input of an import without a file
 * @param bytes receives an export without a file
 */
record TransferCommands(Ticker ticker, InputStream in, OutputStream bytes) {

    private static final String EXPORT_EXITS =
            "Exit codes: 0 complete; 2 invalid arguments, or a file cannot be used; 3 no node could"
                    + " continue; 4 refused.";
    private static final String IMPORT_EXITS =
            "Exit codes: 0 complete; 1 the file has no last line, so the export may be incomplete; 2"
                    + " invalid arguments, or an invalid line; 3 no node could continue; 4 an entry is"
                    + " refused, or another write has its version.";

    void addTo(CommandLine commandLine, ClientCommands commands) {
        Commands.add(
                commandLine,
                commands.command(
                        "export",
                        "Prints all entries or writes them to a file: a line of JSON for each entry"
                                + " with its version, expiry and content type, and a last line.",
                        EXPORT_EXITS,
                        this::export,
                        ClientCommands.replicas(),
                        option("--prefix", "KEY", "Only the keys that begin with this."),
                        flag("--encoded", "KEY is percent-encoded, as in a URL."),
                        option("--file", "FILE", "The file, which must not exist."),
                        flag("--resume", "Continues the file of an interrupted export.")),
                commands.command(
                        "import",
                        "Stores the entries of an export with their versions, so that they supersede"
                                + " nothing newer. Can be repeated. An entry that is too old for this"
                                + " is stored if its key has no value.",
                        IMPORT_EXITS,
                        this::take,
                        ClientCommands.replicas(),
                        option("--file", "FILE", "The file. Default: standard input."),
                        option("--skip", "LINES", "Skips the first LINES lines.")));
    }

    private ExitCode export(Invocation run) throws IOException, CommandFailure {
        String typed = run.option("--prefix");
        byte[] prefix = typed == null ? new byte[0] : run.bytes(typed);
        String name = run.option("--file");
        boolean resumes = run.has("--resume");
        if (name == null && resumes) {
            throw CommandFailure.usage("--resume needs --file.");
        }
        if (name == null) {
            return export(run, prefix, null, 0, bytes);
        }
        ExportFile file = new ExportFile(Path.of(name));
        ExportFile.Beginning begun = file.begin(resumes);
        if (begun.isComplete()) {
            return done(run, begun.entries());
        }
        Key last = begun.last();
        if (last != null && !startsWith(last.bytes(), prefix)) {
            throw CommandFailure.usage(name + " is an export of another --prefix.");
        }
        return toFile(run, prefix, last, begun.entries(), file);
    }

    private static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    private ExitCode toFile(
            Invocation run, byte[] prefix, @Nullable Key lastKey, long before, ExportFile file)
            throws IOException, CommandFailure {
        run.nodes(); // fails before the file is created
        try (OutputStream out = file.append()) {
            return export(run, prefix, lastKey, before, out);
        } catch (QuorateException e) {
            CommandFailure failure = CommandFailure.of(e);
            throw new CommandFailure(
                    failure.exit(),
                    failure.getMessage() + System.lineSeparator() + "--resume continues the file.");
        }
    }

    /**
     * Writes the entries of a prefix, and the last line.
     *
     * @param lastKey the last key of an interrupted export; null for none
     * @param before the number of entries that are already written
     */
    private ExitCode export(
            Invocation run, byte[] prefix, @Nullable Key lastKey, long before, OutputStream out)
            throws IOException, CommandFailure {
        Range range = range(prefix, lastKey, run.readOptions());
        long entries = before;
        try (QuorateClient client = run.client(ClientCommands.PAGE_ROUNDS);
                Progress progress = Progress.onTerminal(ticker)) {
            Iterator<Entry> each = client.entries(range).iterator();
            while (each.hasNext()) {
                Entry entry = each.next();
                // The range begins with the last exported key, because it has no direct successor.
                if (lastKey == null || !entry.key().equals(lastKey)) {
                    byte[] line = (entry.toJson() + "\n").getBytes(US_ASCII);
                    out.write(line);
                    entries++;
                    progress.add(1, line.length);
                }
            }
        }
        out.write(("{\"entries\":" + entries + "}\n").getBytes(US_ASCII));
        out.flush();
        return done(run, entries);
    }

    private static Range range(byte[] prefix, @Nullable Key lastKey, ReadOptions options)
            throws CommandFailure {
        byte[] end = KeyRange.afterPrefix(prefix);
        return Invocation.valid(
                () ->
                        (lastKey == null && prefix.length > 0
                                        ? Range.withPrefix(Key.of(prefix))
                                        : lastKey == null
                                                ? Range.all()
                                                : end == null
                                                        ? Range.from(lastKey)
                                                        : Range.between(lastKey, Key.of(end)))
                                .pageEntries(ClientCommands.PAGE_ENTRIES)
                                .options(options));
    }

    private static ExitCode done(Invocation run, long entries) {
        run.err().println(entries + " entries exported.");
        return ExitCode.DONE;
    }

    private ExitCode take(Invocation run) throws IOException, CommandFailure {
        long skipped = run.number("--skip", 0, Long.MAX_VALUE, 0, "--skip is a number of lines.");
        String file = run.option("--file");
        try (QuorateClient client = run.client(Integer.MAX_VALUE);
                InputStream open = file == null ? in : Files.newInputStream(Path.of(file))) {
            ImportRun importing = new ImportRun(client, run, ticker, ImportRun.Versions.OWN);
            long bytes = file == null ? 0 : Files.size(Path.of(file));
            return report(run, importing.run(open, skipped, bytes));
        }
    }

    private static ExitCode report(Invocation run, ImportRun.Result result) {
        run.err()
                .printf(
                        "%d entries stored, %d omitted because their key has a value, %d because"
                                + " they have expired.%n",
                        result.stored(), result.kept(), result.expired());
        if (!result.isComplete()) {
            run.err().println("There is no last line: the export may be incomplete.");
        }
        if (run.hasConflicts(result)) {
            return ExitCode.REFUSED;
        }
        return result.isComplete() ? ExitCode.DONE : ExitCode.NOT_THERE;
    }

    /** The file of an export. Its last complete line determines where the export continues. */
    private record ExportFile(Path file) {

        /**
         * The state of the file.
         *
         * @param last the last key; null if there is none
         */
        record Beginning(@Nullable Key last, long entries, boolean isComplete) {

            private static final Beginning EMPTY = new Beginning(null, 0, false);
        }

        /** The beginning of each line of an export. */
        private static final String BEGINNING = "{\"";

        private static final int PIECE_BYTES = 65_536;

        /**
         * Removes an incomplete last line, and returns the state of the file.
         *
         * @param resumes whether the file may exist
         */
        Beginning begin(boolean resumes) throws IOException, CommandFailure {
            if (!Files.exists(file)) {
                return Beginning.EMPTY;
            }
            if (!resumes) {
                throw CommandFailure.usage(file + " already exists; --resume continues it.");
            }
            long size = Files.size(file);
            long end = 0;
            long lines = 0;
            String last = null;
            try (InputStream in = Files.newInputStream(file)) {
                LineReader reader = new LineReader(in, ImportRun.MAX_READ_BYTES);
                for (String line = reader.next(); line != null; line = reader.next()) {
                    boolean isWhole = end + line.length() < size;
                    if (!line.startsWith(BEGINNING) && (isWhole || !BEGINNING.startsWith(line))) {
                        throw CommandFailure.usage(file + " is not an export.");
                    }
                    if (isWhole) {
                        end += line.length() + 1;
                        lines++;
                        last = line;
                    }
                }
            }
            Beginning beginning = last == null ? Beginning.EMPTY : after(last, lines);
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                open.setLength(end);
            }
            return beginning;
        }

        private Beginning after(String line, long lines) throws CommandFailure {
            Matcher last = ImportRun.LAST.matcher(line);
            if (last.matches()) {
                return new Beginning(null, Long.parseLong(last.group(1)), true);
            }
            try {
                return new Beginning(Entry.fromJson(line).key(), lines, false);
            } catch (IllegalArgumentException e) {
                throw CommandFailure.usage(file + " is not an export: " + e.getMessage());
            }
        }

        /** A stream that appends to the file; closing it syncs the file. */
        OutputStream append() throws IOException {
            FileOutputStream disk = new FileOutputStream(file.toFile(), true);
            return new BufferedOutputStream(disk, PIECE_BYTES) {
                @Override
                public void close() throws IOException {
                    try (disk) {
                        flush();
                        disk.getFD().sync();
                    }
                }
            };
        }
    }
}
