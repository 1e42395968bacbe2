package dev.quorate.node.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.node.Seed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A key is bytes: as many different keys as there are different bytes. */
final class KeysTest {

    @ParameterizedTest
    @CsvSource({
        "a, 61",
        "%61, 61",
        "%00, 00",
        "a%00b, 610062",
        "+, 2b",
        "a+b, 612b62",
        "%2B, 2b",
        "%20, 20",
        "%2f, 2f",
        "%2F, 2f",
        "/, 2f",
        "..%2f.., 2e2e2f2e2e",
        "%25, 25",
        "%2541, 253431",
        "%F0%9F%98%80, f09f9880",
        "%DF%98%2580, df98253830",
        "%ED%A0%80, eda080",
        "%C0%80, c080",
        "%FF%FE, fffe",
        "=, 3d",
        "a=b=c, 613d623d63",
        "?, 3f",
        "{|}, 7b7c7d",
    })
    void escapesAreBytes(String raw, String hex) throws Exception {
        assertThat(Percent.decode(raw)).isEqualTo(HexFormat.of().parseHex(hex));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "%", "%4", "a%", "a%4", "%%", "%%41", "%zz", "%4z", "%z4", "%-1", "%+1", "% 1",
                "%1 ", "%u0041", "%G0", "41%", "%41%", "%41%4"
            })
    void whatIsNoEscapeIsRefused(String raw) {
        assertThatExceptionOfType(Percent.MalformedEscapeException.class)
                .isThrownBy(() -> Percent.decode(raw));
    }

    @Test
    void everyKeyHasATextAndEveryTextOneKey() throws Exception {
        RandomGenerator random = Seed.random("KeysTest");
        for (int round = 0; round < 100_000; round++) {
            byte[] key = new byte[random.nextInt(1, 12)];
            random.nextBytes(key);
            assertThat(Percent.decode(Percent.encode(key))).isEqualTo(key);
            StringBuilder mixed = new StringBuilder();
            for (byte b : key) {
                boolean escapes = random.nextBoolean() || b <= 0x20 || b >= 0x7F || b == '%';
                mixed.append(
                        escapes ? "%" + HexFormat.of().toHexDigits(b) : String.valueOf((char) b));
            }
            assertThat(Percent.decode(mixed.toString())).isEqualTo(key);
        }
    }

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
