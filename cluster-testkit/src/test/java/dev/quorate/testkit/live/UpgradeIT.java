package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.ProcessCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The last release beside this one, under load: a cluster is upgraded node by node, goes back, and
 * is upgraded again, and no client notices.
 *
 * <p>Needs {@code -Dquorate.old.dist=}, a folder with the {@code quorate} of the last release and
 * its {@code lib}. Every request is explained, so that each has a trace, which only this release
 * sends between nodes.
 */
final class UpgradeIT {

    private static final Path QUORATE = Path.of(System.getProperty("quorate.root"), "quorate");
    private static final int NODES = 3;

    /** Requests in each state of the cluster. */
    private static final int REQUESTS = 500;

    @TempDir Path scratch;

    @Test
    void noRequestFailsOnTheWayForthAndBack() throws Exception {
        int port = ProcessCluster.freePorts(NODES);
        try (ProcessCluster old = new ProcessCluster(oldQuorate(), scratch, NODES, port)) {
            ProcessCluster head = new ProcessCluster(QUORATE, scratch, NODES, port);
            old.up(List.of());
            UnawareClients clients = new UnawareClients(old, NODES, "replicas=2/3&explain=1");
            clients.during(
                    () -> {
                        // One node for a while: what the two releases send each other.
                        old.stop("n1");
                        head.start("n1");
                        clients.awaitMore(REQUESTS);
                        assertThat(messageVersions(old.url("n1"))).containsOnly("4.0");
                        head.restartRolling();
                        clients.awaitMore(REQUESTS);
                        assertThat(messageVersions(old.url("n1"))).containsOnly("5.0");
                        old.restartRolling();
                        clients.awaitMore(REQUESTS);
                        head.restartRolling();
                        clients.awaitMore(REQUESTS);
                    });
            clients.requireReadable();
            System.out.printf("upgraded %d nodes, forth, back and forth: %s%n", NODES, clients);
        }
    }

    private static Path oldQuorate() {
        String folder = System.getProperty("quorate.old.dist");
        if (folder == null) {
            Assumptions.abort(
                    "Skipped: -Dquorate.old.dist names no folder with an earlier release.");
        }
        Path quorate = Path.of(String.valueOf(folder), "quorate").toAbsolutePath();
        assertThat(Files.isExecutable(quorate)).as("%s is a program", quorate).isTrue();
        return quorate;
    }

    /** What a node sends its peers, by its metrics. */
    private static List<String> messageVersions(String node) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(node + "/metrics")).build(),
                            BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("quorate_peer_message_version{"))
                    .map(line -> line.substring(line.indexOf(' ') + 1))
                    .toList();
        }
    }
}
