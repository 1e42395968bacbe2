package dev.quorate.node.directory;

import static dev.quorate.node.directory.CheckedText.value;

import dev.quorate.router.decree.Decree;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code topology}: the topology that this member uses, and its state in the decree that
 * chooses the next one.
 *
 * <pre>
 * quorate topology 1
 * topology cluster=5d1c1f0e-8a3b-4c6d-9e7f-0a1b2c3d4e5f;virtual-nodes=4096;replication=1;n1=http://a:1
 * option virtual-nodes=4096;replication=1;n1=http://a:1
 * part voter
 * clean 0
 * promised 0192f0c4a0000000-0a1b2c3d
 * accepted 0192f0c4a0000000-0a1b2c3d cluster=5d1c1f0e-…;epoch=2;…
 * checksum 1a2b3c4d
 * </pre>
 *
 * @param topology installed durably before it is used; of epoch 0 while there is no cluster id
 * @param option the canonical text of the option {@code topology} that {@code topology} agrees with
 * @param part this member's part in the decree of the next topology
 * @param clean the epoch up to which leftovers were deleted (decision 0053); there are none if it
 *     is not less than {@link Topology#shrunk}
 * @param next its state in that decree
 */
public record TopologyRecord(Topology topology, String option, Part part, int clean, Decree next) {

    /** A member's part in decrees. */
    public enum Part {
        /** It takes part, and has chosen the cluster id. */
        FOUNDER,
        /** It takes part. */
        VOTER,
        /** It may have forgotten what it promised, so it takes no part yet. */
        LEARNER
    }

    /**
     * @throws IllegalArgumentException if it is clean up to an epoch that it does not know
     */
    public TopologyRecord {
        if (clean < 0 || clean > topology.epoch()) {
            throw new IllegalArgumentException(
                    "clean up to epoch " + clean + " in epoch " + topology.epoch());
        }
    }

    private static final String NOTHING = "-";
    private static final String TITLE = "quorate topology 1";

    /** The record of a member that knows only its option. */
    static TopologyRecord ofOption(Topology option) {
        return new TopologyRecord(option, option.canonicalText(), Part.VOTER, 0, Decree.NONE);
    }

    /** The record with another state in the decree. */
    public TopologyRecord with(Decree state) {
        return new TopologyRecord(topology, option, part, clean, state);
    }

    /** The record when the topology agrees with another option. */
    public TopologyRecord agreeingWith(String other) {
        return new TopologyRecord(topology, other, part, clean, next);
    }

    /** The record with another part in decrees. */
    public TopologyRecord as(Part other) {
        return new TopologyRecord(topology, option, other, clean, next);
    }

    /** The record when leftovers were deleted up to an epoch. */
    public TopologyRecord cleanUpTo(int epoch) {
        return new TopologyRecord(topology, option, part, epoch, next);
    }

    /** The record when another topology is installed. */
    public TopologyRecord installing(Topology chosen, String agreeing, Part then) {
        return new TopologyRecord(chosen, agreeing, then, clean, Decree.NONE);
    }

    /** Whether its state in the decree is complete. */
    public boolean votes() {
        return part != Part.LEARNER;
    }

    void write(StorageFiles files, Path file) throws IOException {
        String accepted = next.value().isEmpty() ? NOTHING : next.value();
        CheckedText.write(
                files,
                file,
                TITLE,
                List.of(
                        "topology " + topology,
                        "option " + option,
                        "part " + part.name().toLowerCase(Locale.ROOT),
                        "clean " + clean,
                        "promised " + next.promised(),
                        "accepted " + next.accepted() + " " + accepted));
    }

    /**
     * Reads the file; null if it does not exist.
     *
     * @throws CorruptionException if it is corrupt
     */
    static @Nullable TopologyRecord read(StorageFiles files, Path file) throws IOException {
        if (!files.exists(file)) {
            return null;
        }
        List<String> lines = CheckedText.read(files, file, TITLE);
        String[] accepted = value(file, lines, 5, "accepted").split(" ", -1);
        if (accepted.length != 2) {
            throw CheckedText.corrupt(file, 0, "expected the state of a decree");
        }
        try {
            return new TopologyRecord(
                    Topology.parseCanonicalText(value(file, lines, 0, "topology")),
                    value(file, lines, 1, "option"),
                    Part.valueOf(value(file, lines, 2, "part").toUpperCase(Locale.ROOT)),
                    Integer.parseInt(value(file, lines, 3, "clean")),
                    new Decree(
                            Timestamp.parse(value(file, lines, 4, "promised")),
                            Timestamp.parse(accepted[0]),
                            accepted[1].equals(NOTHING) ? "" : accepted[1]));
        } catch (IllegalArgumentException e) {
            throw CheckedText.corrupt(file, 0, String.valueOf(e.getMessage()));
        }
    }
}
