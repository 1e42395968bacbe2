package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.storage.Timestamp;
import dev.quorate.testkit.live.ConditionalClient.Write;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Conditional writes of clients of three processes, one of which is killed. */
final class ConditionalWritesIT {

    private static final Path QUORATE = Path.of(System.getProperty("quorate.root"), "quorate");
    private static final int CLIENTS = Integer.getInteger("quorate.counting.clients", 16);
    private static final Duration COUNTING =
            Duration.ofSeconds(Integer.getInteger("quorate.counting.seconds", 8));

    /** Answers to writes with versions. */
    private static final int ONE_LOST_IN = 4;

    @TempDir Path scratch;

    private FaultyProcesses cluster() throws Exception {
        FaultyProcesses cluster = new FaultyProcesses(QUORATE, scratch, 3);
        cluster.up(List.of());
        return cluster;
    }

    /**
     * Half of the clients use the node that is killed too, under versions that they choose, and
     * lose answers; the others have their versions from a 504.
     */
    @Test
    void aCounterIsExactWhileANodeIsKilledAndStartedAgain() throws Exception {
        try (FaultyProcesses cluster = cluster();
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<String> nodes = List.of(cluster.url("n1"), cluster.url("n2"), cluster.url("n3"));
            AtomicBoolean stop = new AtomicBoolean();
            List<Counting> clients = new ArrayList<>();
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Counting client = new Counting(i % 2 == 0 ? nodes.subList(0, 2) : nodes, i % 2 > 0);
                clients.add(client);
                ends.add(threads.submit(() -> client.count(stop)));
            }
            int kills = killWhile(cluster, System.nanoTime() + COUNTING.toNanos());
            stop.set(true);
            for (Future<?> end : ends) {
                end.get(60, TimeUnit.SECONDS);
            }
            int made = clients.stream().mapToInt(client -> client.made).sum();
            int resent = clients.stream().mapToInt(client -> client.resent).sum();
            System.out.printf(
                    "%d increments, %d kills; %d writes were sent again, of which %d had been made%n",
                    made,
                    kills,
                    resent,
                    clients.stream().mapToInt(client -> client.madeBefore).sum());
            assertThat(made).isGreaterThan(10);
            try (ConditionalClient reader = new ConditionalClient("counter")) {
                assertThat(reader.get(nodes.getFirst()).body()).isEqualTo("" + made);
            }
        }
    }

    private static int killWhile(FaultyProcesses cluster, long deadline) throws Exception {
        int kills = 0;
        while (System.nanoTime() - deadline < 0) {
            cluster.kill("n3");
            kills++;
            cluster.start("n3");
        }
        return kills;
    }

    /** One client. */
    private static final class Counting {

        private final List<String> nodes;
        private final boolean choosesVersions;
        private int made;

        /** Writes that were sent more than once. */
        private int resent;

        /** Of these, those that a later attempt reported as done. */
        private int madeBefore;

        Counting(List<String> nodes, boolean choosesVersions) {
            this.nodes = nodes;
            this.choosesVersions = choosesVersions;
        }

        /** Returns when the outcome of each write is known. */
        @Nullable Void count(AtomicBoolean stop) throws Exception {
            try (ConditionalClient client = new ConditionalClient("counter")) {
                while (!stop.get()) {
                    Write write = next(client);
                    if (write != null) {
                        finish(client, write);
                    }
                }
            }
            return null;
        }

        private String node() {
            return nodes.get(ThreadLocalRandom.current().nextInt(nodes.size()));
        }

        private @Nullable Write next(ConditionalClient client) {
            try {
                HttpResponse<String> now = client.get(node());
                Write write =
                        switch (now.statusCode()) {
                            case 200 ->
                                    Write.ifMatch(
                                            ConditionalClient.tag(now),
                                            "" + (Integer.parseInt(now.body()) + 1));
                            case 404 -> Write.ifAbsent("1");
                            default -> null;
                        };
                return write == null || !choosesVersions ? write : write.withVersion(newVersion());
            } catch (IOException e) {
                return null;
            }
        }

        private static String newVersion() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            long second = System.currentTimeMillis() / 1_000 * 1_000;
            return Timestamp.of(second, random.nextInt(1 << 16), random.nextInt()).toString();
        }

        private void finish(ConditionalClient client, Write first) throws Exception {
            Write write = first;
            for (int attempt = 1; ; attempt++) {
                HttpResponse<String> answer = send(client, write);
                int status = answer == null ? 0 : answer.statusCode();
                assertThat(status).isIn(0, 201, 412, 503, 504);
                if (status == 201 || status == 412) {
                    made += status == 201 ? 1 : 0;
                    resent += attempt > 1 ? 1 : 0;
                    madeBefore += status == 201 && attempt > 1 ? 1 : 0;
                    Thread.sleep(ThreadLocalRandom.current().nextLong(20));
                    return;
                }
                if (answer != null && write.version() == null) {
                    write =
                            write.withVersion(
                                    answer.headers().firstValue("X-Quorate-Version").orElse(null));
                }
                Thread.sleep(ThreadLocalRandom.current().nextLong(200));
            }
        }

        /** Null if there is no answer, which only a write with a version survives. */
        private @Nullable HttpResponse<String> send(ConditionalClient client, Write write)
                throws IOException {
            try {
                HttpResponse<String> answer = client.put(node(), write, "");
                boolean isLost =
                        write.version() != null
                                && ThreadLocalRandom.current().nextInt(ONE_LOST_IN) == 0;
                return isLost ? null : answer;
            } catch (IOException e) {
                if (write.version() == null) {
                    throw e;
                }
                return null;
            }
        }
    }

    @Test
    void theLockOfAHolderThatDiedGoesToTheNextWithALargerToken() throws Exception {
        try (FaultyProcesses cluster = cluster();
                ConditionalClient lock = new ConditionalClient("lock")) {
            HttpResponse<String> dead = acquire(lock, cluster.url("n1"), "a", 5);
            assertThat(lock.put(cluster.url("n2"), Write.ifAbsent("b"), "&ttl=60").statusCode())
                    .isEqualTo(412);
            cluster.kill("n1"); // which made the first token
            HttpResponse<String> next = acquire(lock, cluster.url("n2"), "b", 60);
            assertThat(ConditionalClient.tag(next)).isGreaterThan(ConditionalClient.tag(dead));
            Write late = Write.ifMatch(ConditionalClient.tag(dead), "a");
            assertThat(lock.put(cluster.url("n3"), late, "&ttl=60").statusCode()).isEqualTo(412);
            assertThat(lock.get(cluster.url("n3")).body()).isEqualTo("b");
        }
    }

    /** Tries until nobody holds the lock. A busy machine may answer 503, which changes nothing. */
    private static HttpResponse<String> acquire(
            ConditionalClient lock, String url, String holder, int ttlSeconds) {
        AtomicReference<HttpResponse<String>> last = new AtomicReference<>();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(
                        () -> {
                            last.set(lock.put(url, Write.ifAbsent(holder), "&ttl=" + ttlSeconds));
                            assertThat(last.get().statusCode())
                                    .as(last.get().body())
                                    .isEqualTo(201);
                        });
        return last.get();
    }
}
