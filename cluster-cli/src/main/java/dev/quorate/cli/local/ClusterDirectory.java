package dev.quorate.cli.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The files of a local cluster.
 *
 * <pre>
 * DIR/cluster.properties   the plan
 * DIR/secret               the secret of the nodes; readable by its owner only
 * DIR/n1/pid               the process id, unless the node was stopped
 * DIR/n1/node.log          the log of all starts
 * DIR/n1/node.log.start    the offset of the last start in the log, in bytes
 * DIR/n1/data              its data
 * </pre>
 */
record ClusterDirectory(Path root) {

    /** The maximum length of a printed log line, of which only the end is printed. */
    private static final int MAX_LINE_BYTES = 4 << 10;

    ClusterDirectory {
        root = root.toAbsolutePath().normalize();
    }

    Path nodeFolder(String name) {
        return root.resolve(name);
    }

    Path data(String name) {
        return nodeFolder(name).resolve("data");
    }

    Path log(String name) {
        return nodeFolder(name).resolve("node.log");
    }

    private Path logStart(String name) {
        return nodeFolder(name).resolve("node.log.start");
    }

    Path secret() {
        return root.resolve("secret");
    }

    private Path planFile() {
        return root.resolve("cluster.properties");
    }

    private Path pidFile(String name) {
        return nodeFolder(name).resolve("pid");
    }

    /** The plan, if there is a cluster here. */
    Optional<ClusterPlan> plan() throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(planFile())) {
            properties.load(reader);
            return Optional.of(ClusterPlan.fromProperties(properties));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            throw new LocalFailure(
                    planFile() + " is not what ./quorate up writes (" + e.getMessage() + ").");
        }
    }

    void writePlan(ClusterPlan plan) throws IOException {
        PrivateFiles.tighten(root, String.valueOf(planFile().getFileName()));
        Files.createDirectories(root);
        try (Writer writer = Files.newBufferedWriter(planFile())) {
            plan.toProperties().store(writer, "Written by ./quorate up");
        }
    }

    /** Creates a secret if there is none. Only its owner can ever read it. */
    void createSecret(RandomGenerator random) throws IOException {
        if (Files.exists(secret())) {
            return;
        }
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
            FileAttribute<?> ownerOnly =
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------"));
            Files.createFile(secret(), ownerOnly);
        }
        Files.writeString(
                secret(),
                HexFormat.of().formatHex(bytes) + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
    }

    /** The process of the last start, unless the node was stopped. It may have ended. */
    Optional<Long> pid(String name) throws IOException {
        try {
            return Optional.of(Long.parseLong(Files.readString(pidFile(name)).strip()));
        } catch (NoSuchFileException | NumberFormatException absentOrTorn) {
            return Optional.empty();
        }
    }

    /** The nodes that were started and not stopped, also if the plan does not have them. */
    List<String> started() throws IOException {
        if (!Files.exists(planFile())) {
            return List.of();
        }
        try (Stream<Path> paths = Files.list(root)) {
            return paths.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> name.matches("n[0-9]{1,2}") && Files.exists(pidFile(name)))
                    .toList();
        }
    }

    void writePid(String name, long pid) throws IOException {
        Files.writeString(pidFile(name), pid + "\n");
    }

    void deletePid(String name) throws IOException {
        Files.deleteIfExists(pidFile(name));
    }

    /** Deletes the files of a cluster, and nothing else. */
    void clean(ClusterPlan plan) throws IOException {
        for (String name : plan.all()) {
            clean(name);
        }
        Files.deleteIfExists(secret());
        Files.deleteIfExists(planFile());
    }

    /** Deletes the files of a node. */
    void clean(String name) throws IOException {
        deleteTree(nodeFolder(name));
    }

    boolean hasData(ClusterPlan plan) {
        return plan.names().stream().anyMatch(name -> Files.exists(data(name)));
    }

    private static void deleteTree(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(tree)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Records the size of a node's log before a start. */
    void noteLogStart(String name) throws IOException {
        long bytes = Files.exists(log(name)) ? Files.size(log(name)) : 0;
        Files.writeString(logStart(name), Long.toString(bytes));
    }

    List<String> lastLogLines(String name, int lines) throws IOException {
        if (!Files.exists(log(name))) {
            return List.of();
        }
        long size = Files.size(log(name));
        long from = Math.max(logStartBytes(name), size - MAX_LINE_BYTES * (long) lines);
        String text;
        try (InputStream log = Files.newInputStream(log(name))) {
            log.skipNBytes(Math.max(0, from));
            byte[] bytes = log.readNBytes((int) (size - Math.max(0, from)));
            text = new String(bytes, StandardCharsets.UTF_8);
        }
        List<String> all = text.lines().toList();
        return all.subList(Math.max(0, all.size() - lines), all.size());
    }

    private long logStartBytes(String name) throws IOException {
        try {
            long bytes = Long.parseLong(Files.readString(logStart(name)).strip());
            return bytes <= Files.size(log(name)) ? Math.max(0, bytes) : 0;
        } catch (NoSuchFileException | NumberFormatException absentOrTorn) {
            return 0;
        }
    }

    void requireOursOrEmpty() throws IOException {
        if (!Files.isDirectory(root) || Files.exists(planFile())) {
            return;
        }
        try (Stream<Path> paths = Files.list(root)) {
            Optional<Path> foreign = paths.filter(path -> !path.equals(secret())).findAny();
            if (foreign.isPresent()) {
                throw new LocalFailure(
                        ("%s contains other files (%s); name an empty or a new directory with"
                                        + " --data.")
                                .formatted(root, foreign.get().getFileName()));
            }
        }
    }
}
