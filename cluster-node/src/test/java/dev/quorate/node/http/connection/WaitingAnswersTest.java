package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.budget.HttpBudgets;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.parse.ParserTranscript;
import dev.quorate.router.runtime.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Small answers that nobody reads. */
final class WaitingAnswersTest {

    private static final int READERS = 60;
    private static final int VALUE_BYTES = 60_000;
    private static final String GET = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

    private final ManualTime time = new ManualTime();
    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }

    @Test
    void takeNoMoreThanTheirBudget() throws IOException {
        HttpBudgets usual = HttpBudgets.defaults(16 << 20);
        HttpBudgets budgets =
                new HttpBudgets(
                        usual.bodyBytes(),
                        usual.smallBodyBytes(),
                        usual.headBytes(),
                        2 << 20,
                        1 << 20);
        try (StoringServer server =
                StoringServer.start(HttpLimits.defaults().withBudgets(budgets), time)) {
            RawClient writer = server.client();
            clients.add(writer);
            writer.send("PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: ");
            writer.send(VALUE_BYTES + "\r\n\r\n").send(new byte[VALUE_BYTES]);
            assertThat(writer.read().status()).isEqualTo(201);
            for (int i = 0; i < READERS; i++) {
                RawClient reader = server.client();
                clients.add(reader);
                // More than the kernel takes for a connection.
                reader.sendWhatItTakes(ParserTranscript.bytes(GET.repeat(400)));
            }
            await().until(() -> server.listener.statistics().rejected(Rejection.BYTES) > 0);
            assertThat(server.listener.waitingBytes()).isLessThanOrEqualTo(2 << 20);
            // Who stands still gives way, and what waited is given back.
            await().until(
                            () -> {
                                time.advance(Duration.ofMillis(500));
                                return server.listener.waitingBytes();
                            },
                            equalTo(0L));
            RawClient other = server.client();
            clients.add(other);
            other.send(GET);
            assertThat(other.read().body()).hasSize(VALUE_BYTES);
        }
    }
}
