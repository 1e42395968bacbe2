package dev.quorate.router.background;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private final Backoff backoff = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(3));

    private Duration failAndTake() {
        backoff.failed();
        return backoff.take();
    }

    @Test
    void pausesDoubleUpToTheLongest() {
        assertThat(failAndTake()).isEqualTo(Duration.ofMillis(500));
        assertThat(failAndTake()).isEqualTo(Duration.ofSeconds(1));
        assertThat(failAndTake()).isEqualTo(Duration.ofSeconds(2));
        assertThat(failAndTake()).isEqualTo(Duration.ofSeconds(3));
        assertThat(failAndTake()).isEqualTo(Duration.ofSeconds(3));
        assertThat(backoff.failuresInARow()).isEqualTo(5);
    }

    @Test
    void aSuccessBeginsAnew() {
        failAndTake();
        backoff.failed();
        backoff.succeeded();
        assertThat(backoff.isDue()).isFalse();
        assertThat(backoff.failuresInARow()).isZero();
        assertThat(failAndTake()).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void failuresDuringAPauseAreOnePause() {
        backoff.failed();
        backoff.failed();
        assertThat(backoff.take()).isEqualTo(Duration.ofMillis(500));
        assertThat(backoff.isDue()).isFalse();
    }
}
