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
record ScratchFolder(Path home, Path path) implements AutoCloseable {

    /**
     * @param home the checkout with the {@code quorate} script
     * @param parent the parent folder; null for {@code .quorate} in the checkout
     */
    static ScratchFolder in(Path home, @Nullable Path parent, String prefix) throws IOException {
        Path where = parent != null ? parent : home.resolve(".quorate");
        Files.createDirectories(where);
        Path path = Files.createTempDirectory(where.toAbsolutePath().normalize(), prefix);
        return new ScratchFolder(home, path);
    }

    static Path quorate(Path home) {
        return home.resolve("quorate").toAbsolutePath().normalize();
    }

    /**
     * Starts a cluster without data in this folder.
     *
     * @throws CommandException if it does not become ready
     */
    ProcessCluster start(int nodes, int port) throws CommandException {
        ProcessCluster cluster = ProcessCluster.start(quorate(home), path, nodes, port, List.of());
        // Ctrl-C also stops the nodes. A second close has no effect.
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "stop-cluster"));
        return cluster;
    }

    /** The same as {@link #start}, for a report. */
    RunningCluster running(int nodes, int port) throws CommandException {
        ProcessCluster cluster = start(nodes, port);
        return new RunningCluster(cluster.url(), cluster.processes(), cluster::close);
    }

    /** Deletes the folder, except for the data of a cluster that could not be stopped. */
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
