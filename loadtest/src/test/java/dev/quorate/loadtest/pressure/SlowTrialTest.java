package dev.quorate.loadtest.pressure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.quorate.loadtest.StubServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class SlowTrialTest {

    private static final int KEYS = 40;

    private final List<String> told = new ArrayList<>();

    private SlowTrial trial(StubServer server) {
        SlowTrial.Plan plan =
                new SlowTrial.Plan(200, KEYS, Duration.ofMillis(50), Duration.ofMillis(200));
        return new SlowTrial(List.of(server.address()), told::add, plan, clock());
    }

    /** On which half a second passes whenever somebody looks at it. */
    private static LongSupplier clock() {
        long[] nanos = {1};
        return () -> nanos[0] += TimeUnit.MILLISECONDS.toNanos(500);
    }

    @Test
    void othersAreServedBesideSlowOnesAndWhatIsNeededIsThereOnce() throws IOException {
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            SlowTrial trial = trial(server);
            trial.run(SlowKind.HEADS, 3);
            trial.run(SlowKind.HEADS, 2);
            assertThat(server.keysPut()).hasSize(KEYS + 1);
            assertThat(server.value("pressure-large")).hasSize(1 << 20);
            assertThat(server.answers(404)).isZero();
            assertThat(told).hasSize(2);
            assertThat(told.getFirst())
                    .startsWith("3 slow heads: closed 0, ")
                    .contains("left 3, 503 to 0; others at 200/s: ")
                    .containsPattern("x, \\{200=[0-9]+, 201=[0-9]+}, lost 0;");
            assertThat(told.getLast()).startsWith("2 slow heads: closed 0, ");
        }
    }

    @Test
    void withoutKeysThereAreNoFigures() throws IOException {
        try (StubServer server = new StubServer((_, _, _) -> 503)) {
            assertThatIOException()
                    .isThrownBy(() -> trial(server).run(SlowKind.HEADS, 1))
                    .withMessageContaining("40 keys were to be put");
            assertThat(told).isEmpty();
        }
    }
}
