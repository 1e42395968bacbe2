package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.Descriptors;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.ManualTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A process that may open 1,024 files. */
class DescriptorsTest {

    private static final int FOR_FILES = 128;
    private static final int FOR_PEERS = 64;

    private final AtomicLong open = new AtomicLong(200);
    private final Descriptors descriptors = new Descriptors(1_024, open::get);

    @Test
    void clientsLeaveSomeForPeersAndBothForFiles() {
        int clients = 0;
        while (descriptors.takeForClient()) {
            clients++;
            open.incrementAndGet();
        }
        assertThat(200 + clients).isEqualTo(1_024 - FOR_FILES - FOR_PEERS);
        int peers = 0;
        while (descriptors.takeForPeer()) {
            peers++;
            open.incrementAndGet();
        }
        assertThat(peers).isEqualTo(FOR_PEERS);
        open.addAndGet(-FOR_PEERS - 1);
        assertThat(descriptors.takeForClient()).as("some were closed").isTrue();
        open.incrementAndGet();
        assertThat(descriptors.takeForClient()).isFalse();
    }

    /** It takes a while where there are many. */
    @Test
    void theyAreNotCountedForEachConnection() {
        int[] counts = {0};
        Descriptors rarely =
                new Descriptors(
                        1_024,
                        () -> {
                            counts[0]++;
                            return 200;
                        });
        for (int i = 0; i < 10_000; i++) {
            assertThat(rarely.takeForClient()).isTrue();
        }
        assertThat(counts[0]).isLessThan(20);
    }

    /** The kernel holds those who come meanwhile. */
    @Test
    void thePortWaitsWhenNoneIsLeftAndGoesOn() throws IOException {
        ManualTime time = new ManualTime();
        AtomicLong left = new AtomicLong(2);
        List<RawClient> clients = new ArrayList<>();
        try (HttpListener listener =
                HttpListener.start(
                        new ListeningPort(
                                "127.0.0.1",
                                0,
                                1,
                                "test",
                                null,
                                () -> left.getAndUpdate(n -> Math.max(0, n - 1)) > 0),
                        HttpLimits.defaults(),
                        (request, exchange) ->
                                exchange.respond(new HttpResponse(200, List.of(), new byte[0])),
                        new ByteBudget(64 << 20),
                        time,
                        time)) {
            for (int i = 0; i < 3; i++) {
                clients.add(
                        new RawClient(listener.port()).send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
            }
            assertThat(clients.get(0).read(false).status()).isEqualTo(200);
            assertThat(clients.get(1).read(false).status()).isEqualTo(200);
            await().until(() -> listener.openConnections() == 2);
            assertThat(clients.get(2).hasAnswer()).isFalse();
            left.set(1);
            assertThat(clients.get(2).read(false).status()).isEqualTo(200);
            await().until(() -> listener.openConnections() == 3);
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }
}
