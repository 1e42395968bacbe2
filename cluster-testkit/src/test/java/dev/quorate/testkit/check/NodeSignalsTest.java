package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class NodeSignalsTest {

    private static final int LOOKUPS_UNTIL_COLLECTED = 5;

    /** A start that still found the process would start nothing. */
    @Test
    @Timeout(60)
    void aKillReturnsOnlyWhenTheLookupFindsNoProcess() throws Exception {
        Process process = new ProcessBuilder("/bin/sh", "-c", "exec sleep 60").start();
        try {
            AtomicInteger lookups = new AtomicInteger();
            NodeSignals signals =
                    new NodeSignals(
                            _ ->
                                    lookups.incrementAndGet() <= LOOKUPS_UNTIL_COLLECTED
                                            ? Optional.of(process.toHandle())
                                            : Optional.empty());

            assertThat(signals.kill("n1")).isTrue();

            assertThat(lookups).hasValue(LOOKUPS_UNTIL_COLLECTED + 1);
            assertThat(process.isAlive()).isFalse();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void thereIsNothingToKillWhereNoProcessRuns() throws IOException {
        assertThat(new NodeSignals(_ -> Optional.empty()).kill("n1")).isFalse();
    }
}
