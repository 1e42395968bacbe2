package dev.quorate.node.directory;

import dev.quorate.router.message.KnownLife;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code generations}: the highest known generation of each member.
 *
 * <pre>
 * quorate generations 1
 * n1 0123456789abcdef 12 17
 * n2 fedcba9876543210 0 4
 * checksum 1a2b3c4d
 * </pre>
 *
 * <p>A line has a member's name, the life of the process that announced it, the generation at which
 * that life began, and the generation that it reached.
 */
record GenerationsFile(StorageFiles files, Path file, Topology topology) {

    private static final String TITLE = "quorate generations 1";

    void write(Collection<KnownLife> known) throws IOException {
        List<String> lines = new ArrayList<>();
        for (KnownLife each : known) {
            Member member = topology.member(each.member());
            if (member != null) {
                lines.add(
                        "%s %016x %d %d"
                                .formatted(
                                        member.name(),
                                        each.life(),
                                        each.begunAt(),
                                        each.generation()));
            }
        }
        CheckedText.write(files, file, TITLE, lines);
    }

    /** Writes a file without generations. */
    static void writeEmpty(StorageFiles files, Path file) throws IOException {
        CheckedText.write(files, file, TITLE, List.of());
    }

    /**
     * Reads the file; empty if it does not exist.
     *
     * @throws CorruptionException if it is corrupt
     */
    List<KnownLife> read() throws IOException {
        List<KnownLife> known = new ArrayList<>();
        for (String line : lines(files, file)) {
            String[] parts = line.split(" ", -1);
            if (parts.length != 4) {
                throw CheckedText.corrupt(file, 0, "expected a member, a life and generations");
            }
            @Nullable Member member = topology.member(parts[0]);
            long life = CheckedText.hex(file, parts[1]);
            long begunAt = CheckedText.number(file, parts[2]);
            long generation = CheckedText.number(file, parts[3]);
            if (begunAt < 0 || generation < begunAt) {
                throw CheckedText.corrupt(file, 0, "from " + begunAt + " to " + generation);
            }
            if (member != null) {
                known.add(new KnownLife(member.number(), life, begunAt, generation));
            }
        }
        return known;
    }

    static List<String> lines(StorageFiles files, Path file) throws IOException {
        return files.exists(file) ? CheckedText.read(files, file, TITLE) : List.of();
    }
}
