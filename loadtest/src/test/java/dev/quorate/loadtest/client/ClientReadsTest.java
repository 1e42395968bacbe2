package dev.quorate.loadtest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each case reads what was written, and a wrong answer ends the measurement. */
final class ClientReadsTest {

    private static final String VERSION = "01a1ffa680e10000-36c6c909";

    private volatile int valueBytes = 10;
    private HttpServer node;

    private ClientReads reads() throws IOException {
        node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        node.createContext("/", this::answer);
        node.start();
        URI uri = URI.create("http://127.0.0.1:" + node.getAddress().getPort());
        return new ClientReads(
                List.of(uri), new ClientReads.Plan(2, 300, 10, 1, 1), System::nanoTime);
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] body = new byte[valueBytes];
        if (exchange.getRequestMethod().equals("POST")) {
            String lines =
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            body =
                    ("{\"status\":201,\"version\":\"" + VERSION + "\"}\n")
                            .repeat((int) lines.lines().count())
                            .getBytes(StandardCharsets.UTF_8);
        }
        exchange.getResponseHeaders().add("X-Quorate-Version", VERSION);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @AfterEach
    void stop() {
        node.stop(0);
    }

    @Test
    void eachCaseIsComparedToTheFirst() throws Exception {
        assertThat(reads().run().lines())
                .hasSize(3)
                .anyMatch(line -> line.matches("plain HTTP, one node .* x 1.00 .*"))
                .anyMatch(line -> line.startsWith("client with the ring "));
    }

    @Test
    void aWrongAnswerEndsIt() throws Exception {
        valueBytes = 11;
        ClientReads reads = reads();
        assertThatThrownBy(reads::run)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("11 bytes");
    }
}
