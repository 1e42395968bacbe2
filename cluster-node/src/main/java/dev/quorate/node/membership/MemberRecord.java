package dev.quorate.node.membership;

import static dev.quorate.node.membership.CheckedText.value;

import dev.quorate.router.decree.Decree;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code member}: the owner of a data directory, and the standing of its data.
 *
 * <pre>
 * quorate member 3
 * name n1
 * standing whole
 * store 0f1e2d3c4b5a6978
 * cluster 5d1c1f0e-8a3b-4c6d-9e7f-0a1b2c3d4e5f
 * promised 0192f0c4a0000000-0a1b2c3d
 * accepted 0192f0c4a0000000-0a1b2c3d 5d1c1f0e-8a3b-4c6d-9e7f-0a1b2c3d4e5f
 * virtual-nodes 4096
 * replication 3
 * members n1,n2,n3
 * checksum 1a2b3c4d
 * </pre>
 *
 * @param store the identity of the store that this belongs to; see {@link StoreMark}
 * @param cluster the id of the cluster; null if unknown, {@code -} in the file
 * @param founding this member's state in the decree that chose the id
 */
public record MemberRecord(
        String name,
        Standing standing,
        long store,
        @Nullable UUID cluster,
        Decree founding,
        Placement placement) {

    /** The standing of the data, as last recorded. */
    public enum Standing {
        /** The directory was empty, and it is not known yet whether the cluster is new. */
        NEW,
        /** Data was lost, or may have been lost, and is fetched from the other members. */
        REBUILDING,
        /** The data includes every write that this member acknowledged. */
        WHOLE
    }

    private static final String UNKNOWN = "-";
    private static final String TITLE = "quorate member 3";

    void write(StorageFiles files, Path file) throws IOException {
        CheckedText.write(
                files,
                file,
                TITLE,
                List.of(
                        "name " + name,
                        "standing " + standing.name().toLowerCase(Locale.ROOT),
                        "store %016x".formatted(store),
                        "cluster " + (cluster == null ? UNKNOWN : cluster),
                        "promised " + founding.promised(),
                        "accepted "
                                + founding.accepted()
                                + " "
                                + (founding.value().isEmpty() ? UNKNOWN : founding.value()),
                        "virtual-nodes " + placement.virtualNodes(),
                        "replication " + placement.replicationFactor(),
                        "members " + String.join(",", placement.members())));
    }

    /**
     * Reads the file; null if it does not exist.
     *
     * @throws CorruptionException if it is corrupt
     */
    static @Nullable MemberRecord read(StorageFiles files, Path file) throws IOException {
        if (!files.exists(file)) {
            return null;
        }
        List<String> lines = CheckedText.read(files, file, TITLE);
        Placement placement =
                new Placement(
                        (int) CheckedText.number(file, value(file, lines, 6, "virtual-nodes")),
                        (int) CheckedText.number(file, value(file, lines, 7, "replication")),
                        List.of(value(file, lines, 8, "members").split(",")));
        return new MemberRecord(
                value(file, lines, 0, "name"),
                standing(file, value(file, lines, 1, "standing")),
                CheckedText.hex(file, value(file, lines, 2, "store")),
                cluster(file, value(file, lines, 3, "cluster")),
                founding(
                        file,
                        value(file, lines, 4, "promised"),
                        value(file, lines, 5, "accepted").split(" ", -1)),
                placement);
    }

    private static @Nullable UUID cluster(Path file, String text) throws IOException {
        try {
            return text.equals(UNKNOWN) ? null : Topology.parseCluster(text);
        } catch (IllegalArgumentException e) {
            throw CheckedText.corrupt(file, 0, "expected a cluster id, got '" + text + "'");
        }
    }

    private static Decree founding(Path file, String promised, String[] accepted)
            throws IOException {
        try {
            if (accepted.length == 2) {
                UUID value = cluster(file, accepted[1]);
                return new Decree(
                        Timestamp.parse(promised),
                        Timestamp.parse(accepted[0]),
                        value == null ? "" : value.toString());
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw CheckedText.corrupt(file, 0, "expected the state of a decree");
    }

    private static Standing standing(Path file, String text) throws IOException {
        for (Standing standing : Standing.values()) {
            if (standing.name().toLowerCase(Locale.ROOT).equals(text)) {
                return standing;
            }
        }
        throw CheckedText.corrupt(file, 0, "expected a standing, got '" + text + "'");
    }
}
