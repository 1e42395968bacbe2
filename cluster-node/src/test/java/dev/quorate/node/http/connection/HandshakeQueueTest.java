package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose handshake goes on next, and whose does not. */
@Timeout(60)
class HandshakeQueueTest {

    private final HandshakeQueue queue = new HandshakeQueue();
    private final ManualTime time = new ManualTime();
    private final Queue<String> log = new ConcurrentLinkedQueue<>();

    private HandshakeQueue.Step step(String name) {
        return step(name, () -> log.add(name));
    }

    private HandshakeQueue.Step step(String name, Runnable work) {
        return new HandshakeQueue.Step(
                name.substring(0, 1), time.nanos(), work, () -> log.add("not " + name));
    }

    private void add(String... names) {
        for (String name : names) {
            assertThat(queue.add(step(name))).isTrue();
        }
    }

    private List<String> order() {
        for (HandshakeQueue.Step next = queue.next(); next != null; next = queue.next()) {
            next.work().run();
        }
        return List.copyOf(log);
    }

    @Test
    void addressesTakeTurnsAndEachHasItsOldestFirst() {
        add("a1", "a2", "a3", "a4", "b1", "c1", "c2");
        assertThat(order()).containsExactly("a1", "b1", "c1", "a2", "c2", "a3", "a4");
    }

    @Test
    void oneAddressWithThousandsDelaysAnotherByOneStep() {
        for (int i = 0; i < HandshakeQueue.MAX_STEPS - 1; i++) {
            add("a" + i);
        }
        add("b");
        assertThat(queue.add(step("c"))).as("too many").isFalse();
        assertThat(order().subList(0, 3)).containsExactly("a0", "b", "a1");
        add("c");
    }

    /** However many other addresses there are. */
    @Test
    void membersHaveEverySecondStep() {
        queue.noteMember("m");
        queue.noteMember("n");
        add("a1", "b1", "c1", "d1", "m1", "m2", "n1");
        assertThat(order()).containsExactly("m1", "a1", "n1", "b1", "m2", "c1", "d1");
    }

    @Test
    void whatIsRemovedDoesNotCome() {
        HandshakeQueue.Step gone = step("a1");
        queue.add(gone);
        add("a2");
        assertThat(queue.remove(gone)).isTrue();
        assertThat(queue.remove(gone)).isFalse();
        assertThat(order()).containsExactly("a2");
    }

    /** All threads are busy meanwhile. */
    @Test
    void stepsThatHaveWaitedTooLongOrWhoseConnectionIsClosedAreDropped() {
        ByteBudget none = new ByteBudget(0);
        CountDownLatch busy = new CountDownLatch(1);
        ListenerStatistics statistics = new ListenerStatistics();
        try (TlsPort port =
                new TlsPort(
                        "test",
                        () -> {
                            throw new IllegalStateException();
                        },
                        none,
                        none,
                        statistics,
                        time::nanos)) {
            for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                port.submit(
                        step(
                                "x" + i,
                                () -> {
                                    try {
                                        busy.await();
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                }));
            }
            port.submit(step("a"));
            HandshakeQueue.Step cancelled = step("b");
            port.submit(cancelled);
            port.cancel(cancelled);
            time.advance(Duration.ofNanos(HandshakeQueue.PATIENCE_NANOS + 1));
            port.submit(step("d"));
            busy.countDown();
            await().until(() -> log.contains("d"));
            await().until(() -> statistics.droppedHandshakes.sum() >= 2);
        }
        assertThat(log).contains("not a", "d").doesNotContain("b", "not b", "a");
    }
}
