package dev.quorate.storage.inspect;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.manifest.VersionEdit;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableInspection;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.LogInspection;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Prints a file of a store in readable form, one line for each entry or edit, without values. */
public final class Dump {

    private static final int MAX_SHOWN_KEY_BYTES = 200;
    private static final int MAX_SHOWN_CURRENT_BYTES = 200;

    private final StorageFiles files;
    private final Consumer<String> lines;

    private Dump(StorageFiles files, Consumer<String> lines) {
        this.files = files;
        this.lines = lines;
    }

    /**
     * Prints a table, a log segment, a manifest, or CURRENT, depending on its name.
     *
     * @throws dev.quorate.storage.CorruptionException at the first damage, after printing what
     *     precedes it
     * @throws NoStoreException if it is not a file of a store
     * @throws IOException if it cannot be read
     */
    public static void of(StorageFiles files, Path file, Consumer<String> lines)
            throws IOException {
        Path absolute = file.toAbsolutePath();
        Path directory = absolute.getParent();
        FileNames.Name name = FileNames.parse(String.valueOf(absolute.getFileName()));
        if (directory == null) {
            throw new NoStoreException(file + " is not a file of a store");
        }
        Dump dump = new Dump(files, lines);
        switch (name.kind()) {
            case TABLE -> dump.table(directory, name.number());
            case LOG -> dump.log(directory, name.number());
            case MANIFEST -> dump.manifest(directory, name.number());
            case CURRENT -> dump.current(absolute);
            case LOCK, CURRENT_NEXT, FOREIGN ->
                    throw new NoStoreException(
                            file + " is not a table (.sst), log (.log), manifest or CURRENT");
        }
    }

    /**
     * Prints every file of a store that is not open, each after a line with its name.
     *
     * @param problems receives each damaged or unreadable file; the other files are printed
     * @throws StorageException.InUse if the directory is open in a store
     * @throws IOException if the directory cannot be read
     */
    public static void all(
            StorageFiles files,
            Path directory,
            Consumer<String> lines,
            Consumer<StorageException> problems)
            throws IOException {
        try (StoppedStore stopped = StoppedStore.lock(files, directory)) {
            for (String name : files.list(stopped.directory()).stream().sorted().toList()) {
                switch (FileNames.parse(name).kind()) {
                    case TABLE, LOG, MANIFEST, CURRENT -> {
                        lines.accept("== " + name);
                        printOrReport(files, directory.resolve(name), lines, problems);
                    }
                    case LOCK, CURRENT_NEXT, FOREIGN -> {}
                }
            }
        }
    }

    private static void printOrReport(
            StorageFiles files,
            Path file,
            Consumer<String> lines,
            Consumer<StorageException> problems) {
        try {
            of(files, file, lines);
        } catch (StorageException e) {
            problems.accept(e);
        } catch (IOException | InternalError e) {
            // The JVM throws an InternalError if a page of a mapped file cannot be read.
            String what = file.getFileName() + " cannot be read: " + e.getMessage();
            problems.accept(new StorageException.Io(what, e));
        }
    }

    private void table(Path directory, long number) throws IOException {
        TableMetadata metadata = TableInspection.metadata(files, directory, number);
        lines.accept(describe(metadata));
        SSTable table = SSTable.open(files, directory, metadata);
        try (EntryCursor entries = table.scan(new byte[0], null)) {
            while (entries.next()) {
                lines.accept(describe(entries.entry()));
            }
        } finally {
            table.release();
        }
    }

    private void log(Path directory, long number) throws IOException {
        LogInspection.End end =
                LogInspection.read(
                        files, directory, number, entry -> lines.accept(describe(entry)));
        if (!end.sealed()) {
            lines.accept(
                    end.tornBytes() == 0
                            ? "not sealed"
                            : "not sealed; " + end.tornBytes() + " bytes of a torn write");
        } else {
            lines.accept(
                    end.next() == 0
                            ? "sealed, the last one"
                            : "sealed, continues in " + FileNames.log(end.next()));
        }
    }

    private void manifest(Path directory, long number) throws IOException {
        VersionSet.read(files, directory, number, edit -> lines.accept(describe(edit)));
    }

    private void current(Path file) throws IOException {
        try (MappedFile mapped = files.map(file)) {
            long shown = Math.min(mapped.bytes().byteSize(), MAX_SHOWN_CURRENT_BYTES);
            byte[] bytes = mapped.bytes().asSlice(0, shown).toArray(ValueLayout.JAVA_BYTE);
            // A damaged file may contain control characters, which must not reach a terminal.
            lines.accept(text(new String(bytes, StandardCharsets.US_ASCII).strip()));
        }
    }

    private static String describe(Entry entry) {
        String what =
                entry.isTombstone() ? "tombstone" : "value of " + entry.valueBytes() + " bytes";
        String expiry =
                entry.expiresAtMillis() == Entry.NEVER
                        ? ""
                        : ", expires at " + entry.expiresAtMillis();
        String type = entry.contentType() == null ? "" : ", " + entry.contentType();
        return "%s  %s  %s, from %d%s%s"
                .formatted(entry.timestamp(), text(entry.key()), what, entry.from(), expiry, type);
    }

    private static String describe(TableMetadata table) {
        return "%s, keys %s to %s, timestamps %s to %s"
                .formatted(
                        table,
                        text(table.smallestKey()),
                        text(table.largestKey()),
                        table.oldest(),
                        table.newest());
    }

    private static String describe(VersionEdit edit) {
        StringBuilder text = new StringBuilder();
        text.append("log from ").append(FileNames.log(edit.oldestSegment()));
        text.append(", next file number ").append(edit.nextFileNumber());
        text.append(", newest ").append(edit.newest());
        for (long removed : edit.removed()) {
            text.append("\n  - table ").append(removed);
        }
        for (TableMetadata added : edit.added()) {
            text.append("\n  + ").append(describe(added));
        }
        return text.toString();
    }

    private static String text(String line) {
        return line.codePoints()
                .mapToObj(c -> c >= ' ' && c < 0x7F ? Character.toString(c) : "%%%02X".formatted(c))
                .collect(Collectors.joining());
    }

    /** Printable ASCII unchanged, every other byte percent-encoded, as in a URL. */
    private static String text(byte[] key) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Math.min(key.length, MAX_SHOWN_KEY_BYTES); i++) {
            byte b = key[i];
            if (b > ' ' && b < 0x7F && b != '%') {
                text.append((char) b);
            } else {
                text.append("%%%02X".formatted(b));
            }
        }
        return key.length > MAX_SHOWN_KEY_BYTES ? text + "…" : text.toString();
    }
}
