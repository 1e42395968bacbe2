package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.ProcessCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The last release beside the sources, under load: a node is upgraded and goes back, then the
 * cluster is upgraded node by node, and no client notices. {@code -Dquorate.release=FOLDER} names a
 * built checkout of the release; {@code .ci/run} makes it. Skipped without one.
 */
final class UpgradeIT {

    private static final Path QUORATE = Path.of(System.getProperty("quorate.root"), "quorate");
    private static final int NODES = 3;

    /** Requests in each state of the cluster. */
    private static final int REQUESTS = 500;

    @TempDir Path scratch;

    @Test
    void noRequestFailsOnTheWayThereAndBack() throws Exception {
        int port = ProcessCluster.freePorts(NODES);
        try (FaultyProcesses old = new FaultyProcesses(release(), scratch, NODES, port);
                FaultyProcesses head = new FaultyProcesses(QUORATE, scratch, NODES, port)) {
            old.up(List.of());
            UnawareClients clients = new UnawareClients(old, NODES, "replicas=2/3");
            clients.during(
                    () -> {
                        // Both versions in one cluster for a while; then back, and all.
                        old.stop("n1");
                        head.start("n1");
                        clients.awaitMore(REQUESTS);
                        head.stop("n1");
                        old.start("n1");
                        clients.awaitMore(REQUESTS);
                        head.restartRolling();
                        clients.awaitMore(REQUESTS);
                    });
            clients.requireReadable();
            System.out.printf("upgraded %d nodes: %s%n", NODES, clients);
        }
    }

    private static Path release() {
        String folder = System.getProperty("quorate.release", "");
        if (folder.isEmpty()) {
            System.out.println("SKIPPED: no release was built (-Dquorate.release=FOLDER)");
            Assumptions.abort("Skipped: -Dquorate.release names no built checkout of a release.");
        }
        Path quorate = Path.of(folder, "quorate").toAbsolutePath();
        assertThat(Files.isExecutable(quorate)).as("%s is a program", quorate).isTrue();
        return quorate;
    }
}
