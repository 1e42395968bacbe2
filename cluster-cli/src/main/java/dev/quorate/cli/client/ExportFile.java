package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * The file of an export. It is its own state: its last whole line says where the export goes on, so
 * that no second file can contradict it.
 */
final class ExportFile {

    /**
     * How an export begins.
     *
     * @param last it goes on behind the entry with this key; null if there is none
     * @param entries that the file has
     */
    record Beginning(@Nullable Key last, long entries, boolean isComplete) {

        private static final Beginning EMPTY = new Beginning(null, 0, false);
    }

    /** The fields of every line of an export. */
    private static final byte[] BEGINNING = {'{', '"'};

    private static final int PIECE_BYTES = 65_536;

    private final Path file;

    ExportFile(Path file) {
        this.file = file;
    }

    /**
     * Removes a line that is cut off at the end, and says where the export goes on.
     *
     * @param resumes whether there may be a file
     */
    Beginning begin(boolean resumes) throws IOException, CommandFailure {
        if (!Files.exists(file)) {
            return Beginning.EMPTY;
        }
        if (!resumes) {
            throw CommandFailure.usage(file + " already exists; --resume continues it.");
        }
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            long end = startOfLine(open, open.length());
            requireBeginning(open);
            Beginning beginning = end == 0 ? Beginning.EMPTY : after(open, end);
            open.setLength(end);
            return beginning;
        }
    }

    /** Nothing is removed from a file of another kind. */
    private void requireBeginning(RandomAccessFile open) throws IOException, CommandFailure {
        byte[] beginning = new byte[(int) Math.min(BEGINNING.length, open.length())];
        open.seek(0);
        open.readFully(beginning);
        if (!Arrays.equals(beginning, Arrays.copyOf(BEGINNING, beginning.length))) {
            throw CommandFailure.usage(file + " is not an export.");
        }
    }

    /** The content of the last whole line. */
    private Beginning after(RandomAccessFile open, long end) throws IOException, CommandFailure {
        long start = startOfLine(open, end - 1);
        byte[] bytes = new byte[(int) Math.min(ImportRun.MAX_READ_BYTES, end - 1 - start)];
        open.seek(start);
        open.readFully(bytes);
        String line = new String(bytes, ISO_8859_1);
        Matcher last = ImportRun.LAST.matcher(line);
        if (last.matches()) {
            return new Beginning(null, Long.parseLong(last.group(1)), true);
        }
        try {
            return new Beginning(Entry.fromJson(line).key(), lines(open, end), false);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(file + " is not an export: " + e.getMessage());
        }
    }

    private static long lines(RandomAccessFile open, long end) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        long lines = 0;
        open.seek(0);
        for (long at = 0; at < end; ) {
            int count = open.read(piece, 0, (int) Math.min(piece.length, end - at));
            for (int i = 0; i < count; i++) {
                lines += piece[i] == '\n' ? 1 : 0;
            }
            at += count;
        }
        return lines;
    }

    /** The position behind the last line feed before {@code end}; 0 if there is none. */
    private static long startOfLine(RandomAccessFile open, long end) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        long at = end;
        while (at > 0) {
            int count = (int) Math.min(piece.length, at);
            at -= count;
            open.seek(at);
            open.readFully(piece, 0, count);
            for (int i = count - 1; i >= 0; i--) {
                if (piece[i] == '\n') {
                    return at + i + 1;
                }
            }
        }
        return 0;
    }

    /** Appends to the file; what is written is on disk once the stream is closed. */
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
