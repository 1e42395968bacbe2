package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.process.CommandException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three processes on this machine, killed, paused and started again under load. */
final class ProcessClusterIT {

    private static final int KILL_ALL_ROUNDS = Integer.getInteger("quorate.kill.rounds", 2);
    private static final int WRITERS = 8;
    private static final int WRITES_BEFORE_KILL = 400;

    private static final Path QUORATE = Path.of(System.getProperty("quorate.root"), "quorate");

    /** All three run before each test, and after it. */
    private static FaultyProcesses cluster;

    @BeforeAll
    static void start(@TempDir Path scratch) throws Exception {
        cluster = new FaultyProcesses(QUORATE, scratch, 3);
        cluster.up(List.of());
    }

    /** A test that failed may leave nodes down. */
    @AfterEach
    void startNodesThatAreDown() throws CommandException {
        if (cluster.processes().size() < 3) {
            cluster.killAll();
            cluster.up(List.of());
        }
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void aWriteAtTwoOfThreeOutlivesAKilledNode() throws Exception {
        try (EntityClient n1 = new EntityClient(cluster.url("n1"));
                EntityClient n2 = new EntityClient(cluster.url("n2"))) {
            assertThat(n1.put("a", "hello", "2/3").statusCode()).isEqualTo(201);
            cluster.kill("n3");
            assertThat(n2.get("a", "2/3").body()).isEqualTo("hello");
            assertThat(n1.put("b", "after", "2/3").statusCode()).isEqualTo(201);
            assertThat(n1.get("a", "3/3").statusCode()).isEqualTo(504);
            assertThat(n1.put("c", "never", "3/3").statusCode()).isEqualTo(504);
            assertThat(n1.delete("a", "2/3").statusCode()).isEqualTo(202);
            assertThat(n2.get("a", "2/3").statusCode()).isEqualTo(404);

            cluster.start("n3");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> n1.put("d", "again", "3/3").statusCode() == 201);
            assertThat(n2.get("d", "3/3").body()).isEqualTo("again");
        }
    }

    @Test
    void aPausedNodeDoesNotVoteAndCatchesUpOnNewWrites() throws Exception {
        try (EntityClient n1 = new EntityClient(cluster.url("n1"));
                EntityClient n2 = new EntityClient(cluster.url("n2"))) {
            assertThat(n1.put("a", "before", "3/3").statusCode()).isEqualTo(201);
            cluster.pause("n3");
            try {
                for (int i = 0; i < 20; i++) {
                    assertThat(n1.put("a", "value " + i, "2/3").statusCode()).isEqualTo(201);
                    assertThat(n2.get("a", "2/3").body()).isEqualTo("value " + i);
                }
                assertThat(n1.get("a", "3/3").statusCode()).isEqualTo(504);
            } finally {
                cluster.resume("n3");
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> n1.put("a", "last", "3/3").statusCode() == 201);
        }
    }

    @Test
    void aNodeThatLostItsDiskHidesNoWriteAndRebuilds(@TempDir Path scratch) throws Exception {
        try (FaultyProcesses cluster = new FaultyProcesses(QUORATE, scratch, 3)) {
            cluster.up(List.of("--request-timeout", "2s"));
            try (EntityClient n1 = new EntityClient(cluster.url("n1"));
                    EntityClient n2 = new EntityClient(cluster.url("n2"));
                    EntityClient n3 = new EntityClient(cluster.url("n3"))) {
                cluster.kill("n2");
                for (int i = 0; i < 50; i++) {
                    assertThat(n1.put("key" + i, "value" + i, "2/3").statusCode()).isEqualTo(201);
                }
                cluster.kill("n3");
                cluster.kill("n1"); // hints for n2 may be lost with n1
                cluster.start("n2");
                cluster.loseData("n3");
                Process start = cluster.beginStart("n3"); // It ends when n3 votes.
                await().atMost(Duration.ofSeconds(20))
                        .ignoreExceptions()
                        .until(() -> n3.path("/readyz").statusCode() == 503);
                // n2 never had it, and n3 has it no more: a 404 would be a lie. Each request waits
                // until its node has been given up.
                try (ExecutorService reader = Executors.newVirtualThreadPerTaskExecutor()) {
                    var answer = reader.submit(() -> n2.get("key0", "2/3").statusCode());
                    assertThat(n3.get("key0", "1/3").statusCode()).isIn(404, 504);
                    assertThat(answer.get()).isEqualTo(504);
                }
                cluster.start("n1");
                assertThat(start.waitFor(60, TimeUnit.SECONDS)).isTrue();
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> n3.path("/readyz").body().contains("it votes"));
                cluster.kill("n1");
                for (int i = 0; i < 50; i++) {
                    assertThat(n3.get("key" + i, "2/3").body()).isEqualTo("value" + i);
                }
            }
        }
    }

    @Test
    void whatWasAcknowledgedOutlivesKillingAllNodesAtOnce() throws Exception {
        Map<String, String> acknowledged = new ConcurrentHashMap<>();
        for (int round = 1; round <= KILL_ALL_ROUNDS; round++) {
            Map<String, String> ofThisRound = writeUntilKilled(round);
            assertThat(ofThisRound).isNotEmpty();
            acknowledged.putAll(ofThisRound);
            cluster.up(List.of());
            assertThat(missing(ofThisRound)).as("round %d", round).isEmpty();
        }
        assertThat(missing(acknowledged)).as("after all rounds").isEmpty();
        System.out.printf(
                "killed all three %d times: %d acknowledged writes read back, 0 lost%n",
                KILL_ALL_ROUNDS, acknowledged.size());
    }

    private static Map<String, String> writeUntilKilled(int round) throws Exception {
        Map<String, String> acknowledged = new ConcurrentHashMap<>();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger count = new AtomicInteger();
        try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            for (int w = 0; w < WRITERS; w++) {
                int writer = w;
                writers.execute(() -> write(round, writer, stop, count, acknowledged));
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> count.get() >= WRITES_BEFORE_KILL);
            cluster.killAll();
            stop.set(true);
            writers.shutdown();
            assertThat(writers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
        return acknowledged;
    }

    private static void write(
            int round,
            int writer,
            AtomicBoolean stop,
            AtomicInteger count,
            Map<String, String> acknowledged) {
        try (EntityClient node = new EntityClient(cluster.url("n" + (1 + writer % 3)))) {
            for (int i = 0; !stop.get(); i++) {
                String key = "r" + round + "-w" + writer + "-" + i;
                String value = "value of " + key;
                if (node.put(key, value, "2/3").statusCode() == 201) {
                    acknowledged.put(key, value);
                    count.incrementAndGet();
                }
            }
        } catch (IOException e) {
            // The node was killed: what it had not answered is not acknowledged.
            stop.set(true);
        }
    }

    private static List<String> missing(Map<String, String> expected) throws IOException {
        List<String> missing = new ArrayList<>();
        try (EntityClient n1 = new EntityClient(cluster.url("n1"))) {
            for (Map.Entry<String, String> entry : expected.entrySet()) {
                var answer = n1.get(entry.getKey(), "2/3");
                if (answer.statusCode() != 200 || !answer.body().equals(entry.getValue())) {
                    missing.add(entry.getKey() + ": " + answer.statusCode());
                }
            }
        }
        return missing;
    }

    @Test
    void aSecondStartOnDataInUseIsRefused() throws Exception {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> cluster.up(List.of()))
                .withMessageMatching("[^\n]*A cluster is running in [^\n]*");
    }

    @Test
    void aGracefulStopPreservesAllWritesAndExitsWithZero() throws Exception {
        try (EntityClient n1 = new EntityClient(cluster.url("n1"))) {
            for (int i = 0; i < 50; i++) {
                assertThat(n1.put("k" + i, "v" + i, "3/3").statusCode()).isEqualTo(201);
            }
        }
        cluster.down();
        cluster.up(List.of());
        try (EntityClient n2 = new EntityClient(cluster.url("n2"))) {
            for (int i = 0; i < 50; i++) {
                assertThat(n2.get("k" + i, "3/3").body()).isEqualTo("v" + i);
            }
        }
    }

    /** Each node has 128 MB: a value without room is refused, and no node ends. */
    @Test
    void manyLargeValuesAtOnceEndNoNode(@TempDir Path scratch) throws Exception {
        try (FaultyProcesses cluster = new FaultyProcesses(QUORATE, scratch, 3);
                LargeValues clients = new LargeValues(16 << 20)) {
            cluster.up(List.of("--request-timeout", "5s"));
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 12; i++) {
                    String base = cluster.url("n" + (1 + i % 3));
                    answers.add(clients.put(base, "large" + i, "2/3"));
                    answers.add(clients.get(base, "large" + (i + 6) % 12, "2/3"));
                }
                for (CompletableFuture<Integer> answer : answers) {
                    // 408: on a busy machine, a client sends too slowly while memory is short.
                    int status = answer.get(60, TimeUnit.SECONDS);
                    assertThat(status).isIn(200, 201, 404, 408, 503, 504, 0);
                }
                answers.clear();
            }
            await().atMost(Duration.ofMinutes(4))
                    .until(() -> clients.put(cluster.url("n1"), "last", "3/3").join() == 201);
            await().atMost(Duration.ofMinutes(4))
                    .untilAsserted(
                            () ->
                                    assertThat(clients.get(cluster.url("n2"), "last", "3/3").join())
                                            .isEqualTo(200));
            for (int node = 1; node <= 3; node++) {
                String name = "n" + node;
                // A node that had ended would be started by this, and one that runs is not.
                assertThatExceptionOfType(CommandException.class)
                        .as(name)
                        .isThrownBy(() -> cluster.start(name));
            }
        }
    }
}
