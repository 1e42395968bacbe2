package dev.quorate.loadtest.pressure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.quorate.loadtest.StubServer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FillingTest {

    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static void fill(StubServer server, int keys) throws IOException {
        try (OpenLoop load = new OpenLoop(server.address(), 4)) {
            Filling.fill(load, keys, 10, 1, LIMIT);
        }
    }

    @Test
    void everyKeyIsPutOnce() throws IOException {
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            fill(server, 50);
            assertThat(server.putsByKey()).hasSize(50).containsOnly(1);
        }
    }

    @Test
    void whatAColdClusterDoesNotConfirmIsPutAgain() throws IOException {
        try (StubServer server =
                new StubServer((_, number, _) -> number == 20 || number == 90 ? 504 : 201)) {
            fill(server, 50);
            assertThat(server.putsByKey()).hasSize(50).containsOnly(3);
        }
    }

    @Test
    void withoutAllKeysThereAreNoFigures() throws IOException {
        try (StubServer server = new StubServer((_, number, _) -> number % 10 == 0 ? 503 : 201)) {
            assertThatIOException()
                    .isThrownBy(() -> fill(server, 50))
                    .withMessage(
                            "50 keys were to be put, and in the last of 3 attempts 45 were:"
                                    + " {201=45, 503=5} by status, 0 without an answer.");
        }
    }
}
