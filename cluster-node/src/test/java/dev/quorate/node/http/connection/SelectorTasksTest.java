package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import one.nio.server.SelectorThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Real selectors, and threads that have something for them to do. */
class SelectorTasksTest {

    private static final int SECONDS = 20;

    private SelectorThread selector;
    private SelectorTasks tasks;

    @BeforeEach
    void start() throws Exception {
        selector = new SelectorThread(0, -1, null);
        tasks = SelectorTasks.of(selector);
        selector.start();
    }

    @AfterEach
    void stop() {
        tasks.close();
        selector.shutdown();
    }

    /** Each finds it asleep, or about to be. */
    @Test
    void theSelectorRunsTasksOfOtherThreads() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            CompletableFuture<Thread> ran = new CompletableFuture<>();
            tasks.execute(() -> ran.complete(Thread.currentThread()));
            assertThat(ran.get(SECONDS, TimeUnit.SECONDS)).isSameAs(selector);
        }
    }

    @Test
    void nothingThatManyWantAtOnceIsLost() throws Exception {
        int threads = 4;
        int each = 20_000;
        AtomicInteger done = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(threads * each);
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                executor.execute(
                        () -> {
                            for (int i = 0; i < each; i++) {
                                tasks.execute(
                                        () -> {
                                            done.incrementAndGet();
                                            all.countDown();
                                        });
                            }
                        });
            }
            assertThat(all.await(SECONDS, TimeUnit.SECONDS)).as("done: %s", done).isTrue();
        }
    }

    /** Or an answer would be sent behind one that was given later. */
    @Test
    void theSelectorItselfDoesNotWait() throws Exception {
        List<String> order = new ArrayList<>();
        CompletableFuture<List<String>> over = new CompletableFuture<>();
        tasks.execute(
                () -> {
                    tasks.execute(() -> order.add("inner"));
                    order.add("outer");
                    over.complete(order);
                });
        assertThat(over.get(SECONDS, TimeUnit.SECONDS)).containsExactly("inner", "outer");
    }

    @Test
    void aFailingTaskDoesNotAffectOthers() throws Exception {
        CompletableFuture<Boolean> begun = new CompletableFuture<>();
        CompletableFuture<Boolean> ran = new CompletableFuture<>();
        tasks.execute(
                () -> {
                    begun.join();
                    throw new IllegalStateException("on purpose");
                });
        tasks.execute(() -> ran.complete(true));
        begun.complete(true);
        assertThat(ran.get(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** Or a connection that always has more to do would keep the thread from all others. */
    @Test
    void aTaskThataTaskAddsRunsInTheNextTurn() throws Exception {
        SelectorThread other = new SelectorThread(0, -1, null);
        SelectorTasks notStarted = SelectorTasks.of(other);
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            addAgain(notStarted, ran);
        }
        notStarted.process(new byte[0]);
        assertThat(ran).hasValue(3);
        notStarted.process(new byte[0]);
        assertThat(ran).hasValue(6);
        other.shutdown();
    }

    private static void addAgain(SelectorTasks tasks, AtomicInteger ran) {
        tasks.later(
                () -> {
                    if (ran.incrementAndGet() < 1_000) {
                        addAgain(tasks, ran);
                    }
                });
    }

    @Test
    void aTaskAfterTheEndRunsOnTheCallersThread() {
        tasks.close();
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Thread> ran = new CompletableFuture<>();
            tasks.execute(() -> ran.complete(Thread.currentThread()));
            assertThat(ran).isCompletedWithValue(Thread.currentThread());
        }
    }
}
