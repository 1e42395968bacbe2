package dev.quorate.loadtest.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.FakeQuorate;
import dev.quorate.harness.FaultKind;
import dev.quorate.harness.ProcessCluster;
import dev.quorate.harness.VirtualClock;
import dev.quorate.loadtest.StubServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalBreakableClusterTest {

    private static final int PORT = 18_280;

    @TempDir private Path home;
    @TempDir private Path scratch;

    private BreakableCluster start(FaultKind kind, int port, List<String> flags)
            throws IOException, CommandException {
        Path script = new FakeQuorate(home, 0).script();
        return LocalBreakableCluster.start(
                kind,
                port,
                nodeFlags -> {
                    flags.addAll(nodeFlags);
                    return ProcessCluster.start(script, scratch, 3, port, nodeFlags);
                },
                VirtualClock.standing());
    }

    @Test
    void aNodeThatIsKilledIsStartedAgain() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        List<String> flags = new ArrayList<>();
        try (BreakableCluster cluster = start(FaultKind.KILL, PORT, flags)) {
            assertThat(cluster.url()).isEqualTo("http://127.0.0.1:" + PORT);
            cluster.fail();
            cluster.recover();
        }
        assertThat(flags).isEmpty();
        assertThat(quorate.calls())
                .extracting(call -> call.replaceFirst(" --.*", ""))
                .containsExactly("up", "kill n3", "start n3", "down");
    }

    @Test
    void aNodeThatIsFarAwayIsReachedThroughARelayFromTheStart() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        List<String> flags = new ArrayList<>();
        try (BreakableCluster cluster = start(FaultKind.DELAY, PORT, flags)) {
            cluster.fail();
            cluster.recover();
        }
        assertThat(flags)
                .singleElement()
                .asString()
                .matches("--peer-addresses=n3=127\\.0\\.0\\.1:[0-9]+");
        assertThat(quorate.calls()).hasSize(2).first().asString().endsWith(" -- " + flags.get(0));
    }

    @Test
    void aPortThatThereIsNotIsRefused() {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> start(FaultKind.DELAY, 60_000, new ArrayList<>()))
                .withMessageContaining("port 70002");
    }

    @Test
    void readsTheFirstNodesFiguresOfTheThird() throws Exception {
        try (StubServer server = new StubServer(StubServer.GOOD);
                BreakableCluster cluster =
                        start(FaultKind.KILL, server.port(), new ArrayList<>())) {
            server.count(
                    () ->
                            """
                            process_resident_memory_bytes 2.0E8
                            quorate_peer_operations_in_flight{peer="n2"} 1.0
                            quorate_peer_operations_in_flight{peer="n3"} 4096.0
                            quorate_peer_in_flight_bytes{peer="n2"} 2.0
                            quorate_peer_in_flight_bytes{peer="n3"} 573440.0
                            quorate_hints_pending_bytes{peer="n3"} 7.0
                            """);
            assertThat(cluster.sample()).isEqualTo(new Peaks(2e8, 4_096, 573_440, 7));
            server.count(() -> "");
            assertThat(cluster.sample().isSettled()).isTrue();
        }
    }
}
