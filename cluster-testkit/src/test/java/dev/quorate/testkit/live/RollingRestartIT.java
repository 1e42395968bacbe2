package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three processes are restarted one after the other, under clients that must not notice. */
final class RollingRestartIT {

    private static final Path QUORATE = Path.of(System.getProperty("quorate.root"), "quorate");
    private static final int NODES = 3;

    @TempDir Path scratch;

    @Test
    void noRequestFailsWhileEveryNodeIsRestarted() throws Exception {
        try (FaultyProcesses cluster = new FaultyProcesses(QUORATE, scratch, NODES)) {
            cluster.up(List.of());
            Map<String, Long> before = cluster.processes();
            UnawareClients clients = new UnawareClients(cluster, NODES, "replicas=2/3");
            clients.during(cluster::restartRolling);
            assertThat(clients.announced()).isGreaterThanOrEqualTo(NODES * UnawareClients.CLIENTS);
            Map<String, Long> after = cluster.processes();
            before.forEach((name, process) -> assertThat(after.get(name)).isNotEqualTo(process));
            clients.requireReadable();
            System.out.printf("restarted %d nodes: %s%n", NODES, clients);
        }
    }
}
