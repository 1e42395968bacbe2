package dev.quorate.loadtest.wrk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quorate.harness.Command;
import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.StubServer;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.load.StoredValues;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script of the benchmark, run by wrk against a server that knows what it was asked. */
class WrkTest {

    private static final int KEYS = 301;
    private static final Load.Clients CLIENTS = Load.Clients.of(8);

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
        Load.Requests requests = Load.Requests.of(operation, "2/3", keys, valueBytes);
        return Load.unbounded(server.url(), requests, CLIENTS, manner, 1);
    }

    @Test
    void fillsAClusterAndReadsItBack() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            LoadResult put = wrk.run(load(server, Operation.PUT, Manner.EVERY_KEY));
            assertThat(put.answers()).containsOnlyKeys(201);
            assertThat(put.everyKey()).isTrue();
            assertThat(server.keysPut()).hasSize(KEYS).contains("id=bench-100-00000000");
            assertThat(server.bodyLengths()).containsExactly(100);
            assertThat(server.queries()).containsExactly("id=bench-100-N&replicas=2/3");

            LoadResult get = wrk.run(load(server, Operation.GET, Manner.EVERY_KEY));
            assertThat(get.answers()).containsOnlyKeys(200);
            assertThat(get.everyKey()).isTrue();
        }
    }

    @Test
    void measuresEachOperation() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            wrk.run(load(server, Operation.PUT, Manner.EVERY_KEY));
            server.range(KEYS * ("bench-100-00000000\n".length() + 100), false);
            for (Operation operation : Operation.values()) {
                if (operation == Operation.MIXED) {
                    wrk.run(load(server, Operation.PUT, Manner.EVERY_KEY));
                }
                for (Manner manner : List.of(Manner.CHECKED, Manner.TIMED)) {
                    LoadResult result = wrk.run(load(server, operation, manner));
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
            Set<String> keys = server.keysPut();
            assertThat(keys.stream().filter(key -> key.startsWith("id=bench-100-"))).hasSize(KEYS);
            assertThat(keys.stream().filter(key -> key.startsWith("id=new-100-0-0")))
                    .hasSize(keys.size() - KEYS)
                    .isNotEmpty();
        }
    }

    @Test
    void putsNewKeysInOrderAndEachOnce() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            Load.Requests requests =
                    new Load.Requests(Operation.PUT_NEW, "2/3", Load.Api.ACK_FROM, KEYS, 100, 7);
            wrk.run(Load.unbounded(server.url(), requests, CLIENTS, Manner.TIMED, 1));
            assertThat(server.queries()).containsExactly("id=new-100-7-N&ack=2&from=3");
            assertThat(server.putsByKey()).containsOnly(1);
            for (int number = 1; number < 100; number++) {
                assertThat(server.value("new-100-7-%08d".formatted(number)))
                        .isEqualTo(StoredValues.value(number, 100));
            }
        }
    }

    @Test
    void getsEachKeyBeforeAnyAgain() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            // Too many to come to the end of them, from two places on.
            int keys = 10_000_000;
            server.put(StoredValues.key(1, 100), StoredValues.value(1, 100));
            server.put(StoredValues.key(5_000_001, 100), StoredValues.value(5_000_001, 100));
            LoadResult result =
                    wrk.run(load(server, Operation.GET_ONCE, Manner.CHECKED, keys, 100));
            assertThat(result.answers()).containsOnlyKeys(200, 404).containsEntry(200, 2L);
            assertThat(result.strangeBodies()).isZero();
        }
    }

    @Test
    void warmsUpByARunOfItsOwn() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            Load.Requests requests = Load.Requests.of(Operation.PUT_NEW, "2/3", KEYS, 10);
            Load.Timing timing = new Load.Timing(1, 1, 0);
            LoadResult result =
                    wrk.run(new Load(server.url(), requests, CLIENTS, Manner.TIMED, timing));
            assertThat(result.requests()).isBetween(1L, server.requests() - 1L);
            assertThat(server.putsByKey()).containsOnly(1);
            assertThat(server.queries())
                    .containsExactlyInAnyOrder(
                            "id=new-10-0-N&replicas=2/3", "id=new-10-0w-N&replicas=2/3");
        }
    }

    private static void assertRising(Spectrum latency) {
        assertThat(latency.points())
                .extracting(Spectrum.Point::valueMillis)
                .isSorted()
                .hasSizeGreaterThan(4)
                .allMatch(millis -> millis > 0);
        assertThat(latency.meanMillis()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 65_536, 1 << 20})
    void putsTheValuesThatWeCanMakeAgain(int bytes) throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            wrk.run(load(server, Operation.PUT, Manner.EVERY_KEY, 40, bytes));
            for (int number = 0; number < 40; number++) {
                assertThat(server.value(StoredValues.key(number, bytes)))
                        .isEqualTo(StoredValues.value(number, bytes));
            }
            LoadResult get = wrk.run(load(server, Operation.GET, Manner.CHECKED, 40, bytes));
            assertThat(get.strangeBodies()).isZero();
        }
    }

    @Test
    void countsWrongBodies() throws Exception {
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
            LoadResult flipped = wrk.run(load(server, Operation.GET, Manner.CHECKED));
            assertThat(flipped.strangeBodies())
                    .isBetween(flipped.requests() / 10 - 10, flipped.requests() / 10 + 10)
                    .isPositive();
            server.serve(body -> Arrays.copyOf(body, body.length / 2));
            for (Operation operation : List.of(Operation.GET, Operation.STATIC)) {
                LoadResult halved = wrk.run(load(server, operation, Manner.CHECKED));
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
            Load.Timing timing = new Load.Timing(0, 2, 500);
            LoadResult result =
                    wrk.run(new Load(server.url(), requests, CLIENTS, Manner.TIMED, timing));
            assertThat(result.requestsPerSecond()).isBetween(450.0, 510.0);
            assertRising(result.latency());
        }
    }

    @Test
    void reportsThatTheLastKeyWasNotReached() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            Load tooMuch = load(server, Operation.PUT, Manner.EVERY_KEY, 500_000, 10);
            LoadResult put = wrk.run(tooMuch);
            assertThat(put.everyKey()).isFalse();
            assertThat(put.answers()).containsOnlyKeys(201);
        }
    }

    @Test
    void countsWhatABadServerAnswers() throws Exception {
        Wrk wrk = wrk();
        try (StubServer server = new StubServer((_, number, _) -> number % 2 == 0 ? 200 : 504)) {
            LoadResult counted = wrk.run(load(server, Operation.PUT, Manner.CHECKED));
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
