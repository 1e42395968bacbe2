package dev.quorate.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.client.Condition;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.OutcomeUnknownException;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.WriteOptions;
import dev.quorate.client.WriteResult;
import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.HistoryVerdict;
import dev.quorate.testkit.history.Promise;
import dev.quorate.testkit.history.Recorder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Clients write and read a few keys while nodes are killed, paused and cut off, and a fifth of the
 * answers to writes is lost.
 */
final class ClientUnderFaultsTest {

    private static final int CLIENTS = 6;
    private static final Duration DURATION =
            Duration.ofSeconds(Integer.getInteger("quorate.client.seconds", 10));
    private static final WriteOptions LINEARIZABLE = WriteOptions.DEFAULT.linearizable();
    private static final ReadOptions READ =
            ReadOptions.DEFAULT.linearizable().hedgeAfter(Duration.ofMillis(100));

    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger values = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger unknown = new AtomicInteger();

    @Test
    void whatTheClientSaysIsLinearizableAndNothingIsMadeTwice() throws Exception {
        Recorder recorder = new Recorder();
        try (QuorateCluster cluster =
                        QuorateCluster.builder().setting("request-timeout", "400ms").start();
                LossyDoor first = door(cluster, 1);
                LossyDoor second = door(cluster, 2);
                LossyDoor third = door(cluster, 3);
                QuorateClient client =
                        QuorateClient.builder()
                                .nodes(List.of(first.uri(), second.uri(), third.uri()))
                                .attemptTimeout(Duration.ofMillis(600))
                                .deadline(Duration.ofSeconds(4))
                                .build();
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                RecordedClient recorded = new RecordedClient(client, recorder, i);
                ends.add(threads.submit(() -> work(recorded)));
                ends.add(threads.submit(() -> count(client)));
            }
            breakNodes(cluster, System.nanoTime() + DURATION.toNanos());
            stop.set(true);
            for (Future<?> end : ends) {
                end.get(30, TimeUnit.SECONDS);
            }
            HistoryVerdict verdict = Checker.check(recorder.history(), Promise.LINEARIZABLE);
            assertThat(verdict.isKept()).as(verdict + "\n" + cluster.describe()).isTrue();
            int counted =
                    Integer.parseInt(client.get(Key.of("counter"), READ).orElseThrow().text());
            System.out.printf(
                    "%d operations, %d answers lost; %d increments made, %d unknown, counter %d%n",
                    recorder.history().operations().size(),
                    lost.get(),
                    made.get(),
                    unknown.get(),
                    counted);
            assertThat(counted).isBetween(made.get(), made.get() + unknown.get());
            assertThat(lost).hasValueGreaterThan(5);
            assertThat(made).hasValueGreaterThan(5);
        }
    }

    private LossyDoor door(QuorateCluster cluster, int node) throws IOException {
        return new LossyDoor(cluster.url(node), head -> !head.startsWith("GET") && isLost());
    }

    private boolean isLost() {
        boolean is = ThreadLocalRandom.current().nextInt(5) == 0;
        lost.addAndGet(is ? 1 : 0);
        return is;
    }

    private void breakNodes(QuorateCluster cluster, long endNanos) throws Exception {
        for (int i = 0; System.nanoTime() - endNanos < 0; i++) {
            int node = 1 + i % 3;
            switch (i % 4) {
                case 0 -> cluster.node(node).kill();
                case 1 -> cluster.node(node).pause();
                case 2 -> cluster.network().partition(node);
                default -> cluster.node(node).clock().setAhead(Duration.ofMillis(300));
            }
            Thread.sleep(700);
            switch (i % 4) {
                case 0 -> cluster.node(node).start();
                case 1 -> cluster.node(node).resume();
                case 2 -> cluster.network().heal();
                default -> cluster.node(node).clock().setAhead(Duration.ZERO);
            }
            Thread.sleep(300);
        }
        cluster.awaitReady();
    }

    /** All kinds of operations, on three keys. */
    private void work(RecordedClient client) {
        RandomGenerator random = ThreadLocalRandom.current();
        while (!stop.get()) {
            String key = "k" + random.nextInt(3);
            String value = "v" + values.incrementAndGet();
            switch (random.nextInt(8)) {
                case 0 -> client.put(key, value, LINEARIZABLE);
                case 1 -> client.put(key, value, LINEARIZABLE.repeatable());
                case 2 -> client.delete(key, LINEARIZABLE.repeatable());
                case 3, 4 -> {
                    RecordedClient.Found base = client.get(key, READ);
                    if (base.isKnown()) {
                        client.putIf(key, value, base.entry());
                    }
                }
                default -> client.get(key, READ);
            }
        }
    }

    /** Increments a number. */
    private void count(QuorateClient client) {
        Key key = Key.of("counter");
        while (!stop.get()) {
            try {
                Optional<Entry> now = client.get(key, READ);
                int next = now.map(entry -> Integer.parseInt(entry.text()) + 1).orElse(1);
                Condition condition =
                        now.map(entry -> Condition.ifMatch(entry.version()))
                                .orElse(Condition.ifAbsent());
                byte[] value = Integer.toString(next).getBytes(StandardCharsets.UTF_8);
                WriteResult result = client.putIf(key, value, condition, WriteOptions.DEFAULT);
                made.addAndGet(result instanceof WriteResult.Written ? 1 : 0);
                Thread.sleep(ThreadLocalRandom.current().nextInt(20));
            } catch (OutcomeUnknownException e) {
                unknown.incrementAndGet();
            } catch (QuorateException e) {
                // Nothing was written, or read.
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
