package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

            cluster.restartMembers();
            Map<String, Long> last = cluster.processes();
            after.forEach((name, process) -> assertThat(last.get(name)).isNotEqualTo(process));
            assertThatThrownBy(() -> cluster.restartMembers("exit 7 # {name}"))
                    .hasMessageContainingAll(
                            "failed with status 1: n1: exit 7 # n1",
                            "The command for n1 ended with the exit code 7.",
                            "Not restarted: n2, n3.");
            assertThatThrownBy(() -> cluster.restartMembers(": {name}"))
                    .hasMessageContaining(
                            "n1 was not restarted and ready within 3 s: it is still the same"
                                    + " process as before the command.");
            assertThatThrownBy(() -> cluster.restartMembers("true"))
                    .hasMessageContaining("failed with status 2: --command has none of {host}");
            assertThat(cluster.processes()).isEqualTo(last);
            System.out.printf("restarted %d nodes: %s%n", NODES, clients);
        }
    }
}
