package dev.quorate.node.api;

import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.connection.RawClient.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A test with a listener of its own, and a client that is connected to it. */
abstract class ClientOfAnEdge {

    Edge edge;
    RawClient client;

    @BeforeEach
    void start() throws IOException {
        edge = Edge.start();
        client = edge.client();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        edge.close();
    }

    Answer ask(String method, String target, String headers, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
        client.send(
                method
                        + " "
                        + target
                        + " HTTP/1.1\r\nHost: x\r\n"
                        + headers
                        + (bytes.length == 0 ? "" : "Content-Length: " + bytes.length + "\r\n")
                        + "\r\n"
                        + body);
        return client.read(method.equals("HEAD"));
    }

    Answer ask(String method, String target) throws IOException {
        return ask(method, target, "", "");
    }

    Answer put(String key, String value) throws IOException {
        return ask("PUT", "/v0/entity?id=" + key, "", value);
    }
}
