package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    @Test
    void aBusyTaskIsRunMoreOften() {
        boolean[] isBusy = {true};
        Scheduler.Cancellable repeating =
                time.repeatedly(
                        () -> {
                            rounds.incrementAndGet();
                            return isBusy[0];
                        },
                        PERIOD,
                        PERIOD.multipliedBy(10));
        time.advance(PERIOD.multipliedBy(5));
        assertThat(rounds).hasValue(5);
        isBusy[0] = false;
        time.advance(PERIOD.multipliedBy(20));
        assertThat(rounds).hasValue(7); // after 6 and 16 periods
        repeating.cancel();
        time.advance(PERIOD.multipliedBy(20));
        assertThat(rounds).hasValue(7);
    }

    @Test
    void aTaskThatFailsIsRunAgain() {
        var _ =
                time.repeatedly(
                        () -> {
                            rounds.incrementAndGet();
                            throw new IllegalStateException("a bug");
                        },
                        PERIOD,
                        PERIOD);
        for (int round = 1; round <= 2; round++) {
            assertThatThrownBy(() -> time.advance(PERIOD)).hasMessage("a bug");
            assertThat(rounds).hasValue(round);
        }
    }
}
