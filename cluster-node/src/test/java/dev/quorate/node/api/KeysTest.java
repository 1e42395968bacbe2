package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.parse.Percent;
import dev.quorate.router.Seed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** A key is bytes: as many different keys as there are different bytes. */
final class KeysTest {

    @Test
    void differentKeysHoldDifferentValues() throws IOException {
        Map<String, String> valuesByHex = new LinkedHashMap<>();
        RandomGenerator random = Seed.random("KeysTest.values");
        try (Edge edge = Edge.start();
                RawClient client = edge.client()) {
            for (int i = 0; i < 2000; i++) {
                byte[] key = new byte[random.nextInt(1, 4)];
                random.nextBytes(key);
                String value = "value" + i;
                client.send(
                        "PUT /v0/entity?id="
                                + Percent.encode(key)
                                + " HTTP/1.1\r\nHost: x\r\nContent-Length: "
                                + value.length()
                                + "\r\n\r\n"
                                + value);
                assertThat(client.read().status()).isEqualTo(201);
                valuesByHex.put(HexFormat.of().formatHex(key), value);
            }
            for (var expected : new HashMap<>(valuesByHex).entrySet()) {
                byte[] key = HexFormat.of().parseHex(expected.getKey());
                client.send(
                        "GET /v0/entity?id="
                                + Percent.encode(key)
                                + " HTTP/1.1\r\nHost: x\r\n\r\n");
                assertThat(client.read().text()).isEqualTo(expected.getValue());
            }
            assertThat(edge.operations.entries).hasSize(valuesByHex.size());
        }
    }

    @Test
    void aKeyHasOneToAThousandAndTwentyFourBytes() throws IOException {
        try (Edge edge = Edge.start();
                RawClient client = edge.client()) {
            for (String byteText : new String[] {"a", "%FF"}) {
                assertThat(status(client, "PUT", byteText.repeat(1024))).isEqualTo(201);
                assertThat(status(client, "GET", byteText.repeat(1024))).isEqualTo(200);
                assertThat(status(client, "PUT", byteText.repeat(1025))).isEqualTo(414);
                assertThat(status(client, "GET", byteText.repeat(1025))).isEqualTo(414);
                assertThat(status(client, "DELETE", byteText.repeat(1025))).isEqualTo(414);
            }
            client.send(
                    "GET /v0/entities?start="
                            + "%FF".repeat(1024)
                            + "&end="
                            + "%FF".repeat(1024)
                            + "&limit=10&replicas=2/3&scope=cluster"
                            + " HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
            client.send(
                    "GET /v0/entities?start=a&end="
                            + "b".repeat(1025)
                            + " HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(414);
            byte[] longest = new byte[1024];
            Arrays.fill(longest, (byte) 0xFF);
            assertThat(edge.operations.entries).containsKey(longest).hasSize(2);
            // Too long even for a target: the connection goes too.
            client.send(
                    ("GET /v0/entity?id=" + "a".repeat(9000) + " HTTP/1.1\r\nHost: x\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(client.read().status()).isEqualTo(414);
        }
    }

    private static int status(RawClient client, String method, String id) throws IOException {
        client.send(method + " /v0/entity?id=" + id + " HTTP/1.1\r\nHost: x\r\n\r\n");
        return client.read().status();
    }
}
