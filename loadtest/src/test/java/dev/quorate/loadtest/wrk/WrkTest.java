package dev.quorate.loadtest.wrk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quorate.loadtest.StubServer;
import dev.quorate.loadtest.process.Command;
import dev.quorate.loadtest.process.CommandException;
import dev.quorate.loadtest.wrk.Load.Manner;
import dev.quorate.loadtest.wrk.Load.Operation;
import dev.quorate.loadtest.wrk.WrkResult.Percentiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        return new Wrk(program.get(), Command.find("wrk2", System.getenv("PATH")), folder);
    }

    private static Load load(StubServer server, Operation operation, Manner manner) {
        return load(server, operation, manner, KEYS, 100);
    }

    private static Load load(
            StubServer server, Operation operation, Manner manner, int keys, int valueBytes) {
        Load.Requests requests = new Load.Requests(operation, "2/3", keys, valueBytes, CONNECTIONS);
        return Load.unbounded(server.url(), requests, manner, 1);
    }

    @Test
    void fillsAClusterAndReadsItBack() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            WrkResult put = wrk.run(load(server, Operation.PUT, Manner.EVERY_KEY));
            assertThat(put.answers()).containsOnlyKeys(201);
            assertThat(put.everyKey()).isTrue();
            assertThat(server.keysPut()).hasSize(KEYS).contains("id=bench-100-00000000");
            assertThat(server.bodyLengths()).containsExactly(100);
            assertThat(server.queries()).containsExactly("id=bench-100-N&replicas=2/3");

            WrkResult get = wrk.run(load(server, Operation.GET, Manner.EVERY_KEY));
            assertThat(get.answers()).containsOnlyKeys(200);
            assertThat(get.everyKey()).isTrue();
        }
    }

    @Test
    void measuresEachOperation() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            wrk.run(load(server, Operation.PUT, Manner.EVERY_KEY));
            for (Operation operation : Operation.values()) {
                if (operation == Operation.MIXED) {
                    wrk.run(load(server, Operation.PUT, Manner.EVERY_KEY));
                }
                for (Manner manner : List.of(Manner.CHECKED, Manner.TIMED)) {
                    WrkResult result = wrk.run(load(server, operation, manner));
                    assertThat(result.requestsPerSecond()).isPositive();
                    assertRising(result.latency());
                    assertThat(result.socketErrors()).isZero();
                    assertThat(result.statusErrors())
                            .isEqualTo(operation == Operation.GET_ABSENT ? result.requests() : 0);
                    if (manner == Manner.CHECKED) {
                        assertThat(result.answers().keySet())
                                .isEqualTo(operation.expectedStatuses());
                        assertThat(result.strangeBodies()).isZero();
                    } else {
                        assertThat(result.answers()).isEmpty();
                    }
                }
            }
            assertThat(server.keysPut()).hasSize(KEYS);
        }
    }

    private static void assertRising(Percentiles latency) {
        assertThat(
                        List.of(
                                latency.p50Millis(),
                                latency.p99Millis(),
                                latency.p999Millis(),
                                latency.maxMillis()))
                .isSorted()
                .allMatch(millis -> millis > 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 65_536})
    void putsTheValuesThatWeCanMakeAgain(int bytes) throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            wrk.run(load(server, Operation.PUT, Manner.EVERY_KEY, 40, bytes));
            for (int number = 0; number < 40; number++) {
                assertThat(server.value(StoredValues.key(number, bytes)))
                        .isEqualTo(StoredValues.value(number, bytes));
            }
            WrkResult get = wrk.run(load(server, Operation.GET, Manner.CHECKED, 40, bytes));
            assertThat(get.strangeBodies()).isZero();
        }
    }

    @Test
    void countsBodiesThatNobodyPut() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            wrk.run(load(server, Operation.PUT, Manner.EVERY_KEY));
            AtomicInteger answers = new AtomicInteger();
            server.serve(
                    body -> {
                        byte[] other = body.clone();
                        if (other.length > 0 && answers.incrementAndGet() % 10 == 0) {
                            other[other.length - 1] ^= 1;
                        }
                        return other;
                    });
            WrkResult flipped = wrk.run(load(server, Operation.GET, Manner.CHECKED));
            assertThat(flipped.strangeBodies())
                    .isBetween(flipped.requests() / 10 - 10, flipped.requests() / 10 + 10)
                    .isPositive();
            server.serve(body -> Arrays.copyOf(body, body.length / 2));
            for (Operation operation : List.of(Operation.GET, Operation.STATIC)) {
                WrkResult halved = wrk.run(load(server, operation, Manner.CHECKED));
                assertThat(halved.strangeBodies()).isEqualTo(halved.requests());
            }
        }
    }

    @Test
    void sendsAtARateWhereWrk2Is() throws Exception {
        Wrk wrk = wrk();
        assumeTrue(Command.find("wrk2", System.getenv("PATH")).isPresent(), "no wrk2 on the PATH");
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            wrk.run(load(server, Operation.PUT, Manner.EVERY_KEY));
            Load.Requests requests = load(server, Operation.GET, Manner.TIMED).requests();
            WrkResult result = wrk.run(new Load(server.url(), requests, Manner.TIMED, 2, 500));
            assertThat(result.requestsPerSecond()).isBetween(450.0, 510.0);
            assertRising(result.latency());
        }
    }

    @Test
    void knowsThatItDidNotGetToTheLastKey() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            Load tooMuch = load(server, Operation.PUT, Manner.EVERY_KEY, 500_000, 10);
            WrkResult put = wrk.run(tooMuch);
            assertThat(put.everyKey()).isFalse();
            assertThat(put.answers()).containsOnlyKeys(201);
        }
    }

    @Test
    void countsWhatABadServerAnswers() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer((_, number, _) -> number % 2 == 0 ? 200 : 504)) {
            WrkResult counted = wrk.run(load(server, Operation.PUT, Manner.CHECKED));
            assertThat(counted.answers()).containsOnlyKeys(200, 504);
            assertThat(counted.answers().values().stream().mapToLong(Long::longValue).sum())
                    .isEqualTo(counted.requests());
            assertThat(wrk.run(load(server, Operation.GET, Manner.TIMED)).statusErrors())
                    .isPositive();
        }
    }

    @Test
    void failsWhereNobodyListens() throws Exception {
        Wrk wrk = wrk();
        StubServer server = new StubServer(StubServer.GOOD);
        server.close();
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> wrk.run(load(server, Operation.STATIC, Manner.CHECKED)))
                .withMessageContaining("unable to connect");
    }

    @Test
    void saysWhichItIs() throws Exception {
        assertThat(wrk().version()).startsWith("wrk").doesNotContain("\n", "epoll");
    }
}
