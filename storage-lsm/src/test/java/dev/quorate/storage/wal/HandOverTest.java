package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Writes pass from writer threads to the log task, on real threads. */
class HandOverTest {

    private static final int WRITERS = 3;
    private static final int SPINS = 20;
    private static final int WRITES = Scale.of(1_000_000, 20);

    private static final WriteCompletion NOBODY =
            new WriteCompletion() {
                @Override
                public void stored(Timestamp newest) {}

                @Override
                public void failed(StorageException cause) {}
            };

    /**
     * Each admitted write is taken once, in its writer's order, while admission opens and closes.
     */
    @Test
    void theQueuePreservesEveryWriteAndItsOrder() throws Exception {
        WriteQueue queue = new WriteQueue(10_000, () -> 0);
        AtomicInteger writing = new AtomicInteger(WRITERS);
        List<List<Long>> taken = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(WRITERS + 1)) {
            List<Future<List<Long>>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                taken.add(new ArrayList<>());
                int id = writer;
                writers.add(
                        executor.submit(
                                () -> {
                                    List<Long> let = offerAll(queue, id);
                                    writing.decrementAndGet();
                                    return let;
                                }));
            }
            executor.execute(
                    () -> {
                        while (writing.get() > 0) {
                            queue.reject(new StorageException.Full("full", null));
                            queue.accept();
                        }
                    });
            ArrayDeque<PendingWrite> left = new ArrayDeque<>();
            boolean last = false;
            while (!last) {
                last = writing.get() == 0;
                left = queue.take(left).writes();
                for (PendingWrite write : left) {
                    Timestamp stamp = write.entry().timestamp();
                    taken.get(stamp.node()).add(stamp.hybrid());
                }
                queue.release(List.copyOf(left));
                left.clear();
            }
            for (int writer = 0; writer < WRITERS; writer++) {
                assertThat(taken.get(writer)).isEqualTo(writers.get(writer).get());
            }
            assertThat(taken.stream().mapToInt(List::size).sum()).isPositive();
        }
        assertThat(queue.bytes()).isZero();
    }

    /** Offers writes numbered in order; returns the numbers of the admitted ones. */
    private static List<Long> offerAll(WriteQueue queue, int writer) {
        List<Long> let = new ArrayList<>();
        for (long i = 0; i < WRITES; i++) {
            Entry entry = Entry.tombstone(new byte[] {1}, new Timestamp(i, writer), 1);
            if (queue.offer(List.of(entry), NOBODY) == null) {
                let.add(i);
            }
        }
        return let;
    }

    /** Work of many threads is done by one run at a time, including the last of it. */
    @Test
    void theTaskNeverRunsConcurrentlyAndRunsAfterEachRequest() throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(WRITERS)) {
            for (int round = 0; round < Scale.of(200_000, 10); round++) {
                AtomicInteger waiting = new AtomicInteger();
                AtomicInteger inside = new AtomicInteger();
                AtomicInteger overlaps = new AtomicInteger();
                SerialTask task =
                        new SerialTask(
                                Runnable::run,
                                () -> {
                                    overlaps.addAndGet(inside.getAndIncrement());
                                    waiting.set(0);
                                    // Work added from here on belongs to another run.
                                    for (int i = 0; i < SPINS; i++) {
                                        Thread.onSpinWait();
                                    }
                                    inside.decrementAndGet();
                                });
                List<Future<?>> workers = new ArrayList<>();
                for (int worker = 0; worker < WRITERS; worker++) {
                    workers.add(executor.submit(() -> bring(task, waiting)));
                }
                for (Future<?> worker : workers) {
                    worker.get();
                }
                assertThat(waiting.get()).as("round %d", round).isZero();
                assertThat(overlaps.get()).as("round %d", round).isZero();
            }
        }
    }

    private static void bring(SerialTask task, AtomicInteger waiting) {
        for (int i = 0; i < 2; i++) {
            waiting.incrementAndGet();
            if (i % 3 != 0 || !task.runNow()) {
                task.schedule();
            }
        }
    }
}
