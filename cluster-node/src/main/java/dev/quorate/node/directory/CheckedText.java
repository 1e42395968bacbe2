package dev.quorate.node.directory;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A small file that people can read and that is replaced as a whole: a title, which names the
 * format, lines of ASCII, and a checksum of everything before it.
 *
 * <pre>
 * quorate member 3
 * ...
 * checksum 1a2b3c4d
 * </pre>
 */
public final class CheckedText {

    /** Above the size of the longest file: three topologies. */
    private static final int MAX_BYTES = 256 << 10;

    private static final String CHECKSUM = "checksum ";

    private CheckedText() {}

    /** Replaces the file, durably. */
    public static void write(StorageFiles files, Path file, String title, List<String> lines)
            throws IOException {
        String text = title + "\n" + String.join("", lines.stream().map(l -> l + "\n").toList());
        byte[] body = text.getBytes(US_ASCII);
        String checksum = "%s%08x\n".formatted(CHECKSUM, Crc32c.of(body, 0, body.length));
        files.replace(file, ByteBuffer.wrap((text + checksum).getBytes(US_ASCII)));
    }

    /**
     * The lines between the title and the checksum.
     *
     * @throws CorruptionException if the file is corrupt
     * @throws IOException if the disk fails
     */
    public static List<String> read(StorageFiles files, Path file, String title)
            throws IOException {
        String text = readAll(files, file);
        int end = text.lastIndexOf(CHECKSUM);
        String name = title.substring(0, title.lastIndexOf(' ') + 1);
        if (end < 0 || !text.startsWith(name) || !text.endsWith("\n")) {
            throw corrupt(file, 0, "expected '" + title + "' and a checksum");
        }
        byte[] body = text.substring(0, end).getBytes(US_ASCII);
        String expected = "%08x\n".formatted(Crc32c.of(body, 0, body.length));
        String found = text.substring(end + CHECKSUM.length());
        if (!found.equals(expected)) {
            throw corrupt(
                    file, end, "expected checksum " + expected.strip() + ", got " + found.strip());
        }
        List<String> lines = text.substring(0, end).lines().toList();
        if (!lines.getFirst().equals(title)) {
            // Written by a later release. Not reported as damage, which might cause a rebuild.
            throw new StorageException.Io(
                    "%s has format %s, this program reads %s"
                            .formatted(
                                    file,
                                    lines.getFirst().substring(name.length()),
                                    title.substring(name.length())),
                    null);
        }
        return lines.subList(1, lines.size());
    }

    static String readAll(StorageFiles files, Path file) throws IOException {
        try (MappedFile mapped = files.map(file)) {
            if (mapped.bytes().byteSize() > MAX_BYTES) {
                throw corrupt(file, MAX_BYTES, "it is too long");
            }
            return new String(mapped.bytes().toArray(ValueLayout.JAVA_BYTE), US_ASCII);
        }
    }

    /** The rest of a line that begins with a name and a space. */
    public static String value(Path file, List<String> lines, int line, String name)
            throws IOException {
        if (line >= lines.size() || !lines.get(line).startsWith(name + " ")) {
            throw corrupt(file, 0, "expected '" + name + "' in line " + (line + 2));
        }
        return lines.get(line).substring(name.length() + 1);
    }

    static long hex(Path file, String text) throws IOException {
        try {
            return Long.parseUnsignedLong(text, 16);
        } catch (NumberFormatException e) {
            throw corrupt(file, 0, "expected a number, got '" + text + "'");
        }
    }

    public static long number(Path file, String text) throws IOException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw corrupt(file, 0, "expected a number, got '" + text + "'");
        }
    }

    static CorruptionException corrupt(Path file, long offset, String what) {
        return new CorruptionException(file.toString(), offset, what);
    }
}
