package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A task that is run again and again. */
final class RepeatedTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private boolean isFull;

    private Repeated repeated() {
        return new Repeated(
                rounds::incrementAndGet,
                PERIOD,
                time,
                task -> {
                    if (isFull) {
                        throw new RejectedExecutionException();
                    }
                    queue.add(task);
                });
    }

    @Test
    void aRoundIsLeftOutWhileTheOneBeforeIsUnderWay() {
        try (Repeated _ = repeated()) {
            time.advance(PERIOD.multipliedBy(5));
            assertThat(queue).hasSize(1);
            queue.remove().run();
            time.advance(PERIOD);
            assertThat(queue).hasSize(1);
            assertThat(rounds).hasValue(1);
        }
        time.advance(PERIOD);
        assertThat(queue).hasSize(1);
    }

    @Test
    void aRoundThatIsRejectedIsNotTheLast() {
        try (Repeated _ = repeated()) {
            isFull = true;
            time.advance(PERIOD);
            isFull = false;
            time.advance(PERIOD);
            assertThat(queue).hasSize(1);
        }
    }
}
