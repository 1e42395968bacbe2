package dev.quorate.cli.backup;

import dev.quorate.cli.client.RingPage;
import dev.quorate.node.directory.CheckedText;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A complete backup, described by its file {@code backup}:
 *
 * <pre>
 * quorate backup 2
 * cluster 5d1c1f0e-8a3b-4c6d-9e7f-0a1b2c3d4e5f
 * begun 1795614000000
 * bytes 123456789
 * sums (SHA-256 of the file SHA256SUMS)
 * node n1
 * node n2
 * missing n3
 * checksum 1a2b3c4d
 * </pre>
 *
 * @param begunMillis the start in ms since 1970, by the clock of the command; the backup contains
 *     all writes acknowledged before
 * @param nodes the members whose checkpoints it contains
 * @param missing the other members
 */
record Backup(
        String name,
        String cluster,
        long begunMillis,
        long bytes,
        String sums,
        List<String> nodes,
        List<String> missing) {

    static final String FILE = "backup";
    private static final String TITLE = "quorate backup 2";

    void write(StorageFiles files, Path directory) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("cluster " + cluster);
        lines.add("begun " + begunMillis);
        lines.add("bytes " + bytes);
        lines.add("sums " + sums);
        nodes.forEach(node -> lines.add("node " + node));
        missing.forEach(node -> lines.add("missing " + node));
        CheckedText.write(files, directory.resolve(FILE), TITLE, lines);
    }

    /**
     * @throws dev.quorate.storage.CorruptionException if the file is damaged
     */
    static Backup read(StorageFiles files, Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        List<String> lines = CheckedText.read(files, file, TITLE);
        List<String> nodes = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (int i = 4; i < lines.size(); i++) {
            boolean isThere = lines.get(i).startsWith("node ");
            String name = CheckedText.value(file, lines, i, isThere ? "node" : "missing");
            if (!name.matches(RingPage.NAME)) { // a part of paths
                throw new CorruptionException(file.toString(), 0, "the name of a node is invalid");
            }
            (isThere ? nodes : missing).add(name);
        }
        return new Backup(
                String.valueOf(directory.getFileName()),
                CheckedText.value(file, lines, 0, "cluster"),
                CheckedText.number(file, CheckedText.value(file, lines, 1, "begun")),
                CheckedText.number(file, CheckedText.value(file, lines, 2, "bytes")),
                CheckedText.value(file, lines, 3, "sums"),
                nodes,
                missing);
    }
}
