package dev.quorate.storage.inspect;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
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

/** Prints a file of a store for a person, a line for each entry or edit. Values are not shown. */
public final class Dump {

    private static final int MAX_SHOWN_KEY_BYTES = 200;

    private final StorageFiles files;
    private final Consumer<String> lines;

    private Dump(StorageFiles files, Consumer<String> lines) {
        this.files = files;
        this.lines = lines;
    }

    /**
     * Prints a table, a log segment, a manifest, or CURRENT, as its name says.
     *
     * @throws dev.quorate.storage.CorruptionException at the first damage, after what lies before
     * @throws IOException if it cannot be read, or is no file of a store
     */
    public static void of(StorageFiles files, Path file, Consumer<String> lines)
            throws IOException {
        Path absolute = file.toAbsolutePath();
        Path directory = absolute.getParent();
        FileNames.Name name = FileNames.parse(String.valueOf(absolute.getFileName()));
        if (directory == null) {
            throw new IOException(file + " is no file of a store");
        }
        Dump dump = new Dump(files, lines);
        switch (name.kind()) {
            case TABLE -> dump.table(directory, name.number());
            case LOG -> dump.log(directory, name.number());
            case MANIFEST -> dump.manifest(directory, name.number());
            case CURRENT -> dump.current(absolute);
            case LOCK, CURRENT_NEXT, FOREIGN ->
                    throw new IOException(
                            file + " is no table (.sst), log (.log), manifest or CURRENT");
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
            lines.accept("not sealed; " + end.tornBytes() + " bytes of a torn write");
        } else {
            lines.accept(
                    end.next() == 0
                            ? "sealed, the last one"
                            : "sealed, goes on in " + FileNames.log(end.next()));
        }
    }

    private void manifest(Path directory, long number) throws IOException {
        VersionSet.read(files, directory, number, edit -> lines.accept(describe(edit)));
    }

    private void current(Path file) throws IOException {
        try (MappedFile mapped = files.map(file)) {
            byte[] bytes = mapped.bytes().toArray(ValueLayout.JAVA_BYTE);
            lines.accept(new String(bytes, StandardCharsets.US_ASCII).strip());
        }
    }

    private static String describe(Entry entry) {
        String what =
                entry.isTombstone() ? "tombstone" : "value of " + entry.valueBytes() + " bytes";
        String expiry =
                entry.expiresAtMillis() == Entry.NEVER
                        ? ""
                        : ", expires at " + entry.expiresAtMillis();
        return "%s  %s  %s, from %d%s"
                .formatted(entry.timestamp(), text(entry.key()), what, entry.from(), expiry);
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

    /** Printable ASCII as it is, every other byte percent-encoded, as in a URL. */
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
