package dev.quorate.loadtest.wrk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quorate.loadtest.StubServer;
import dev.quorate.loadtest.process.Command;
import dev.quorate.loadtest.process.CommandException;
import dev.quorate.loadtest.wrk.Load.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script of the benchmark, run by wrk against a server that knows what it was asked. */
class WrkTest {

    private static final int KEYS = 301;
    private static final int CONNECTIONS = 8;

    @TempDir private Path folder;

    private Wrk wrk() throws IOException {
        Optional<Path> program = Command.find("wrk", System.getenv("PATH"));
        if (program.isEmpty()) {
            System.out.println("Skipped: wrk is not on the PATH.");
        }
        assumeTrue(program.isPresent(), "wrk is not on the PATH");
        return new Wrk(program.get(), folder);
    }

    private static Load load(
            StubServer server, Operation operation, boolean inOrder, boolean checked) {
        int seconds = 1;
        return new Load(
                server.url(), operation, "2/3", KEYS, 100, CONNECTIONS, seconds, inOrder, checked);
    }

    @Test
    void fillsAClusterAndReadsItBack() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            WrkResult put = wrk.run(load(server, Operation.PUT, true, true));
            assertThat(put.answers()).containsOnlyKeys(201);
            assertThat(put.everyKey()).isTrue();
            assertThat(server.keysPut()).hasSize(KEYS).contains("id=bench-00000000");
            assertThat(server.bodyLengths()).containsExactly(100);
            assertThat(server.queries()).containsExactly("id=bench-N&replicas=2/3");

            WrkResult get = wrk.run(load(server, Operation.GET, true, true));
            assertThat(get.answers()).containsOnlyKeys(200);
            assertThat(get.everyKey()).isTrue();
        }
    }

    @Test
    void measuresEachOperation() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            wrk.run(load(server, Operation.PUT, true, true));
            for (Operation operation : Operation.values()) {
                for (boolean checked : new boolean[] {true, false}) {
                    WrkResult result = wrk.run(load(server, operation, false, checked));
                    assertThat(result.requestsPerSecond()).isPositive();
                    assertThat(result.p99Millis()).isGreaterThanOrEqualTo(result.p50Millis());
                    assertThat(result.socketErrors() + result.statusErrors()).isZero();
                    if (checked) {
                        assertThat(result.answers()).containsOnlyKeys(operation.expectedStatus());
                    } else {
                        assertThat(result.answers()).isEmpty();
                    }
                }
            }
            assertThat(server.keysPut()).hasSize(KEYS);
        }
    }

    @Test
    void knowsThatItDidNotGetToTheLastKey() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            Load tooMuch =
                    new Load(
                            server.url(),
                            Operation.PUT,
                            "1/1",
                            500_000,
                            10,
                            CONNECTIONS,
                            1,
                            true,
                            true);
            WrkResult put = wrk.run(tooMuch);
            assertThat(put.everyKey()).isFalse();
            assertThat(put.answers()).containsOnlyKeys(201);
        }
    }

    @Test
    void countsWhatABadServerAnswers() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer((_, number, _) -> number % 2 == 0 ? 200 : 504)) {
            WrkResult counted = wrk.run(load(server, Operation.PUT, false, true));
            assertThat(counted.answers()).containsOnlyKeys(200, 504);
            assertThat(counted.answers().values().stream().mapToLong(Long::longValue).sum())
                    .isEqualTo(counted.requests());
            assertThat(wrk.run(load(server, Operation.GET, false, false)).statusErrors())
                    .isPositive();
        }
    }

    @Test
    void failsWhereNobodyListens() throws Exception {
        Wrk wrk = wrk();
        StubServer server = new StubServer(StubServer.GOOD);
        server.close();
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> wrk.run(load(server, Operation.STATIC, false, true)))
                .withMessageContaining("unable to connect");
    }

    @Test
    void saysWhichItIs() throws Exception {
        assertThat(wrk().version()).startsWith("wrk").doesNotContain("\n", "epoll");
    }
}
