package dev.quorate.loadtest;

import dev.quorate.cli.local.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of all commands that start clusters. */
final class ClusterOptions {

    private static final int LAST_PORT = 65_000;

    @Option(
            names = "--port",
            paramLabel = "P",
            description = "Port of the first node. The default is ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "Where the nodes may keep their data, which is deleted at the end. The default"
                            + " is a new folder in .quorate.")
    private @Nullable Path data;

    /** With the port that is the default. */
    ClusterOptions(int port) {
        this.port = port;
    }

    /** Why no cluster can be started so. */
    Optional<String> complaint(Path home) {
        return missing(home).or(() -> Commands.violation("--port", port, 1, LAST_PORT));
    }

    /** Why nothing can be started from a folder. */
    static Optional<String> missing(Path folder) {
        Path quorate = ScratchFolder.quorate(folder);
        return Files.isExecutable(quorate)
                ? Optional.empty()
                : Optional.of("there is no quorate to run at " + quorate + ".");
    }

    /** Of the first node. */
    int port() {
        return port;
    }

    ScratchFolder scratch(Path home, String prefix) throws IOException {
        return ScratchFolder.in(home, data, prefix);
    }

    /** A folder that stays. */
    Path newFolder(Path home, String prefix) throws IOException {
        return ScratchFolder.newFolder(home, data, prefix);
    }
}
