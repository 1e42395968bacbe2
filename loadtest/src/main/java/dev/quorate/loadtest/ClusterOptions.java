package dev.quorate.loadtest;

import dev.quorate.cli.local.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of commands that start clusters. */
final class ClusterOptions {

    @Option(
            names = "--port",
            paramLabel = "P",
            description = "Port of the first node. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Parent of the temporary data folder. Default: .quorate.")
    private @Nullable Path data;

    ClusterOptions(int port) {
        this.port = port;
    }

    /** Why a cluster cannot be started with these options. */
    Optional<String> complaint(Path home) {
        return missing(home).or(() -> Commands.violation("--port", port, 1, 65_000));
    }

    /** Why a cluster cannot be started from a checkout. */
    static Optional<String> missing(Path folder) {
        Path quorate = ScratchFolder.quorate(folder);
        return Files.isExecutable(quorate)
                ? Optional.empty()
                : Optional.of("no executable script " + quorate + ".");
    }

    int port() {
        return port;
    }

    ScratchFolder scratch(Path home, String prefix) throws IOException {
        return ScratchFolder.in(home, data, prefix);
    }
}
