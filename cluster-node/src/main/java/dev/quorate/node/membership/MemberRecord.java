package dev.quorate.node.membership;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code member}: the owner of a data directory, and the standing of its data.
 *
 * <pre>
 * quorate member 2
 * name n1
 * standing whole
 * store 0f1e2d3c4b5a6978
 * virtual-nodes 4096
 * replication 3
 * members n1,n2,n3
 * checksum 1a2b3c4d
 * </pre>
 *
 * <p>The first release wrote the name and, in a line of its own, {@code empty}.
 *
 * @param store the identity of the store that this belongs to; see {@link StoreMark}
 * @param placement null in a file of the first release
 */
public record MemberRecord(
        String name, Standing standing, long store, @Nullable Placement placement) {

    /** The standing of the data, as last recorded. */
    public enum Standing {
        /** It was empty, and it is not known yet whether the cluster is new. */
        NEW,
        /** Something was lost, or may have been, and is fetched from the others. */
        REBUILDING,
        /** It contains whatever this member acknowledged. */
        WHOLE
    }

    private static final String TITLE = "quorate member 2";
    private static final String EMPTY = "empty";

    /** The file of a member without its data, as the first release wrote it. */
    static ByteBuffer emptyOfFirstRelease(String name) {
        return ByteBuffer.wrap((name + "\n" + EMPTY + "\n").getBytes(UTF_8));
    }

    boolean isOfFirstRelease() {
        return placement == null;
    }

    void write(StorageFiles files, Path file) throws IOException {
        Placement written = placement;
        if (written == null) {
            throw new IllegalStateException("the first release's format is not written");
        }
        CheckedText.write(
                files,
                file,
                TITLE,
                List.of(
                        "name " + name,
                        "standing " + standing.name().toLowerCase(Locale.ROOT),
                        "store %016x".formatted(store),
                        "virtual-nodes " + written.virtualNodes(),
                        "replication " + written.replicationFactor(),
                        "members " + String.join(",", written.members())));
    }

    /**
     * Reads the file; null if there is none.
     *
     * @throws CorruptionException if it is not what was written
     */
    static @Nullable MemberRecord read(StorageFiles files, Path file) throws IOException {
        if (!files.exists(file)) {
            return null;
        }
        String text = CheckedText.readAll(files, file);
        if (!text.startsWith("quorate ")) {
            return ofFirstRelease(file, text);
        }
        List<String> lines = CheckedText.read(files, file, TITLE);
        Placement placement =
                new Placement(
                        (int) CheckedText.number(file, value(file, lines, 3, "virtual-nodes")),
                        (int) CheckedText.number(file, value(file, lines, 4, "replication")),
                        List.of(value(file, lines, 5, "members").split(",")));
        return new MemberRecord(
                value(file, lines, 0, "name"),
                standing(file, value(file, lines, 1, "standing")),
                CheckedText.hex(file, value(file, lines, 2, "store")),
                placement);
    }

    private static String value(Path file, List<String> lines, int line, String name)
            throws IOException {
        return CheckedText.value(file, lines, line, name);
    }

    private static Standing standing(Path file, String text) throws IOException {
        for (Standing standing : Standing.values()) {
            if (standing.name().toLowerCase(Locale.ROOT).equals(text)) {
                return standing;
            }
        }
        throw CheckedText.corrupt(file, 0, "expected a standing, got '" + text + "'");
    }

    /**
     * A name alone: the first release did not record whether a member was new or had lost its disk.
     */
    private static MemberRecord ofFirstRelease(Path file, String text) throws IOException {
        List<String> lines = new ArrayList<>(text.lines().toList());
        if (text.length() < 2 || !text.endsWith("\n") || lines.size() > 2) {
            throw CheckedText.corrupt(file, 0, "expected a member's name");
        }
        boolean empty = lines.size() == 2;
        if (empty && !lines.get(1).equals(EMPTY)) {
            throw CheckedText.corrupt(file, 0, "expected '" + EMPTY + "' in line 2");
        }
        return new MemberRecord(
                lines.getFirst(), empty ? Standing.REBUILDING : Standing.WHOLE, 0, null);
    }
}
