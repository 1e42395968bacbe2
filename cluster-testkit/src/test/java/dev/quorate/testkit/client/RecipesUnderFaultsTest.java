package dev.quorate.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.client.OutcomeUnknownException;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.Version;
import dev.quorate.recipes.Counter;
import dev.quorate.recipes.Leader;
import dev.quorate.recipes.Lock;
import dev.quorate.recipes.Queue;
import dev.quorate.recipes.RateLimiter;
import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.TestNode;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The recipes while nodes are killed and paused, clocks are up to 200 ms apart, and holders of
 * locks stop for longer than their leases.
 */
final class RecipesUnderFaultsTest {

    private static final int RUNS = Integer.getInteger("quorate.recipes.runs", 1);
    private static final Duration RUN =
            Duration.ofSeconds(Integer.getInteger("quorate.recipes.seconds", 6));
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final int PERMITS = 20;

    /**
     * One taking of the lock, by one clock.
     *
     * @param beganNanos when it was asked for
     * @param endedNanos when the holder knew that it had it
     * @param untilNanos when it released it, or its time was over
     */
    private record Taking(long beganNanos, long endedNanos, long untilNanos, Version token) {}

    /** Rejects a smaller token than the largest that it has seen. */
    private static final class Resource {

        private Optional<Version> largest = Optional.empty();
        private final List<Version> accepted = new ArrayList<>();
        private int rejected;

        synchronized void write(Version token) {
            if (largest.isPresent() && token.compareTo(largest.get()) < 0) {
                rejected++;
            } else {
                largest = Optional.of(token);
                accepted.add(token);
            }
        }
    }

    private final AtomicBoolean stop = new AtomicBoolean();
    private final ConcurrentLinkedQueue<Taking> takings = new ConcurrentLinkedQueue<>();
    private final Resource locked = new Resource();
    private final Resource led = new Resource();
    private final List<Version> terms = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger added = new AtomicInteger();
    private final AtomicInteger maybeAdded = new AtomicInteger();
    private final Set<String> put = Collections.synchronizedSet(new HashSet<>());
    private final List<String> taken = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger maybeTaken = new AtomicInteger();
    private final AtomicInteger permits = new AtomicInteger();

    @Test
    void eachKeepsItsPromise() throws Exception {
        int totalTakings = 0;
        int rejected = 0;
        for (int i = 0; i < RUNS; i++) {
            RecipesUnderFaultsTest run = new RecipesUnderFaultsTest();
            run.run();
            totalTakings += run.takings.size();
            rejected += run.locked.rejected;
        }
        System.out.printf(
                "%d runs, %d takings, %d late writes rejected%n", RUNS, totalTakings, rejected);
    }

    private void run() throws Exception {
        try (QuorateCluster cluster =
                        QuorateCluster.builder().setting("request-timeout", "400ms").start();
                QuorateClient client =
                        QuorateClient.builder()
                                .nodes(
                                        IntStream.rangeClosed(1, 3)
                                                .mapToObj(cluster::url)
                                                .map(URI::create)
                                                .toList())
                                .attemptTimeout(Duration.ofMillis(600))
                                .deadline(Duration.ofSeconds(3))
                                .build();
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                ends.add(
                        threads.submit(
                                () -> repeat(() -> useLock(new Lock(client, "lock", LEASE)))));
                ends.add(threads.submit(() -> repeat(() -> add(new Counter(client, "counter")))));
                ends.add(threads.submit(() -> repeat(() -> put(new Queue(client, "queue/")))));
            }
            for (int i = 0; i < 2; i++) {
                ends.add(threads.submit(() -> repeat(() -> take(new Queue(client, "queue/")))));
                ends.add(threads.submit(() -> repeat(() -> lead(client))));
            }
            RateLimiter limiter = new RateLimiter(client, "rate", PERMITS, Duration.ofSeconds(1));
            long beganNanos = System.nanoTime();
            ends.add(threads.submit(() -> repeat(() -> acquire(limiter))));
            ends.add(threads.submit(() -> repeat(() -> acquire(limiter))));
            breakNodes(cluster, beganNanos + RUN.toNanos());
            stop.set(true);
            for (Future<?> end : ends) {
                end.get(60, TimeUnit.SECONDS);
            }
            double seconds = (System.nanoTime() - beganNanos) / 1e9;
            assertThat(permits.get())
                    .isPositive()
                    .isLessThanOrEqualTo((int) (PERMITS * (seconds + 1)));
            assertThat(new Counter(client, "counter").get())
                    .isBetween((long) added.get(), (long) added.get() + maybeAdded.get());
            judgeQueue(new Queue(client, "queue/"));
            judgeTokens();
        }
    }

    /** Repeats a piece of work until the end, whatever becomes of it. */
    private void repeat(Runnable work) {
        while (!stop.get()) {
            try {
                work.run();
            } catch (QuorateException e) {
                // As a caller would, it tries again.
            }
        }
    }

    private static void pause(int mostMillis) {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(mostMillis * 1_000_000L));
    }

    private void useLock(Lock lock) {
        long beganNanos = System.nanoTime();
        Optional<Lock.Held> taken = lock.lock(Duration.ofSeconds(2));
        if (taken.isEmpty()) {
            return;
        }
        Lock.Held held = taken.get();
        long endedNanos = System.nanoTime();
        long validNanos = endedNanos + held.left().toNanos();
        locked.write(held.token());
        pause(50);
        int behaviour = ThreadLocalRandom.current().nextInt(6);
        if (behaviour == 0) {
            // Stops for longer than its lease, and acts then.
            LockSupport.parkNanos(LEASE.toNanos() + LEASE.toNanos() / 2);
        } else if (behaviour == 1 && held.renew()) {
            validNanos = System.nanoTime() + held.left().toNanos();
        }
        locked.write(held.token());
        long untilNanos = Math.min(System.nanoTime(), validNanos);
        takings.add(new Taking(beganNanos, endedNanos, untilNanos, held.token()));
        if (behaviour != 2) {
            held.close(); // otherwise it vanishes
        }
    }

    private void lead(QuorateClient client) {
        Leader.Listener listener =
                new Leader.Listener() {
                    @Override
                    public void elected(Version term) {
                        terms.add(term);
                        led.write(term);
                    }

                    @Override
                    public void deposed() {}
                };
        try (Leader leader = Leader.campaign(client, "leader", LEASE, listener)) {
            for (int i = 0; i < 40 && !stop.get(); i++) {
                pause(100);
                leader.term().ifPresent(led::write);
            }
        }
    }

    private void add(Counter counter) {
        try {
            counter.add(1);
            added.incrementAndGet();
        } catch (OutcomeUnknownException e) {
            maybeAdded.incrementAndGet();
        }
        pause(20);
    }

    private void put(Queue queue) {
        String item = "item " + ThreadLocalRandom.current().nextLong();
        queue.put(item);
        put.add(item);
        pause(20);
    }

    private void take(Queue queue) {
        try {
            queue.take(Duration.ofMillis(500)).ifPresent(taken::add);
        } catch (OutcomeUnknownException e) {
            maybeTaken.incrementAndGet();
        }
    }

    private void acquire(RateLimiter limiter) {
        if (limiter.tryAcquire()) {
            permits.incrementAndGet();
        } else {
            pause(50);
        }
    }

    private void breakNodes(QuorateCluster cluster, long endNanos) {
        for (int i = 0; System.nanoTime() - endNanos < 0; i++) {
            TestNode node = cluster.node(1 + i % 3);
            boolean isKilled = ThreadLocalRandom.current().nextBoolean();
            cluster.node(1 + (i + 1) % 3)
                    .clock()
                    .setAhead(Duration.ofMillis(ThreadLocalRandom.current().nextLong(201)));
            if (isKilled) {
                node.kill();
            } else {
                node.pause();
            }
            pause(700);
            if (isKilled) {
                node.start();
            } else {
                node.resume();
            }
            pause(300);
        }
        cluster.awaitReady();
    }

    /** Each item is taken at most once, and none is lost that was put. */
    private void judgeQueue(Queue queue) {
        for (Optional<String> item = queue.poll(); item.isPresent(); item = queue.poll()) {
            taken.add(item.get());
        }
        assertThat(taken).doesNotHaveDuplicates();
        put.removeAll(new HashSet<>(taken));
        assertThat(put).hasSizeLessThanOrEqualTo(maybeTaken.get());
        assertThat(taken).isNotEmpty();
    }

    /**
     * No two hold the lock at once; of two after each other, the later one has the larger token.
     */
    private void judgeTokens() {
        assertThat(takings).hasSizeGreaterThan(2);
        for (Taking one : takings) {
            for (Taking other : takings) {
                if (one.endedNanos() < other.beganNanos()) {
                    assertThat(one.token()).isLessThan(other.token());
                }
                if (one.endedNanos() < other.endedNanos()) {
                    assertThat(one.untilNanos()).isLessThan(other.endedNanos());
                }
            }
        }
        assertThat(takings).extracting(Taking::token).doesNotHaveDuplicates();
        assertThat(locked.accepted).isSorted();
        assertThat(terms).doesNotHaveDuplicates().isNotEmpty();
        assertThat(led.accepted).isSorted();
    }
}
