package dev.quorate.loadtest;

import dev.quorate.cli.process.CommandException;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.loadtest.scenario.ReportRun.RunningCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A temporary folder of a benchmark. */
final class ScratchFolder implements AutoCloseable {

    private final Path home;
    private final Path path;

    private ScratchFolder(Path home, Path path) {
        this.home = home;
        this.path = path;
    }

    /**
     * Makes one.
     *
     * @param home where {@code quorate} is
     * @param parent the parent; null for {@code .quorate} at home
     * @param prefix with which its name begins
     */
    static ScratchFolder in(Path home, @Nullable Path parent, String prefix) throws IOException {
        return new ScratchFolder(home, newFolder(home, parent, prefix));
    }

    /** Makes a folder there that stays. */
    static Path newFolder(Path home, @Nullable Path parent, String prefix) throws IOException {
        Path where = parent != null ? parent : home.resolve(".quorate");
        Files.createDirectories(where);
        return Files.createTempDirectory(where.toAbsolutePath().normalize(), prefix);
    }

    /** The script that starts everything. */
    static Path quorate(Path home) {
        return home.resolve("quorate").toAbsolutePath().normalize();
    }

    Path path() {
        return path;
    }

    /**
     * Starts a cluster with empty data in it.
     *
     * @param nodeFlags for each node
     * @throws CommandException if it does not become ready
     */
    ProcessCluster start(int nodes, int port, List<String> nodeFlags) throws CommandException {
        ProcessCluster cluster = ProcessCluster.start(quorate(home), path, nodes, port, nodeFlags);
        // Ctrl-C stops the nodes too. A second close has no effect.
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "stop-cluster"));
        return cluster;
    }

    /** As {@link #start}, for measurements. */
    RunningCluster running(int nodes, int port) throws CommandException {
        ProcessCluster cluster = start(nodes, port, List.of());
        return new RunningCluster(cluster.url(), cluster.processes(), cluster::close);
    }

    /** Deletes it, except for the files of a cluster that could not be stopped. */
    @Override
    public void close() throws IOException {
        try (var files = Files.list(path)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
        try (var left = Files.list(path)) {
            if (left.findAny().isEmpty()) {
                Files.delete(path);
            }
        }
    }
}
