package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import dev.quorate.node.access.Caller;
import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.Seed;
import dev.quorate.router.quorum.QuorumSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What batches may cost whoever serves them. */
final class BatchAttacksTest extends ClientOfBatches {

    private static final int VALUE_BYTES = 60_000;

    private static String head(String framing) {
        return "POST /v0/entities HTTP/1.1\r\nHost: x\r\n" + LINES + framing + "\r\n\r\n";
    }

    @Test
    void aLineOfTenMegabytesIsRefusedBeforeItIsRead() throws IOException {
        try (RawClient asking = edge.client()) {
            asking.send(head("Content-Length: 10485760\r\nExpect: 100-continue"));
            assertThat(asking.read().status()).isEqualTo(413);
        }
        client.send(head("Content-Length: 10485760")).send(new byte[10 << 20]);
        Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.text()).contains("2097152");
        assertThat(statuses(batch(put("a")))).as("on the same connection").containsExactly(201);
    }

    @Test
    void soIsOneWithoutALengthOnceItIsTooLong() throws IOException {
        String part = "a".repeat(1 << 16);
        client.send(head("Transfer-Encoding: chunked"));
        for (int i = 0; i < 160; i++) {
            client.sendWhatItTakes(
                    ("10000\r\n" + part + "\r\n").getBytes(StandardCharsets.US_ASCII));
        }
        client.sendWhatItTakes("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(client.read().status()).isEqualTo(413);
    }

    @Test
    void aLongLineIsRefusedByItself() throws IOException {
        String value = "v".repeat(1 << 20);
        String line = "{\"op\":\"put\",\"key\":\"long\",\"value\":\"" + value + "\"}";
        assertThat(statuses(batch(put("a"), line, put("b")))).containsExactly(201, 413, 201);
        assertThat(edge.operations.writes).hasValue(2);
    }

    @Test
    void aHundredThousandLinesAreRefusedWhole() throws IOException {
        assertThat(post("", "{}\n".repeat(100_000)).status()).isEqualTo(413);
        assertThat(post("", (put("a") + "\n").repeat(513)).status()).isEqualTo(413);
        assertThat(edge.operations.writes).hasValue(0);
        assertThat(statuses(answers(post("", (put("a") + "\n").repeat(512)), 512)))
                .containsOnly(201);
    }

    @Test
    void nestingCostsNothing() throws IOException {
        String deep = "[".repeat(1 << 19);
        assertThat(statuses(batch("{\"op\":" + deep, deep, "{\"a\":".repeat(1 << 17))))
                .containsOnly(400);
    }

    @Test
    void halfABatchDoesNothing() throws IOException {
        try (RawClient half = edge.client()) {
            String line = put("a") + "\n";
            half.send(head("Content-Length: " + 10 * line.length())).send(line.repeat(5)).finish();
            assertThat(half.read().status()).isEqualTo(400);
        }
        assertThat(edge.operations.writes).hasValue(0);
        assertThat(statuses(batch(put("a")))).containsExactly(201);
    }

    /** The values of clients that do not read take a part of the heap, and no more. */
    @Test
    void clientsThatDoNotReadHoldABoundedMemory() throws IOException {
        put("long", "v".repeat(VALUE_BYTES));
        long fits = Runtime.getRuntime().maxMemory() / 16 / VALUE_BYTES;
        String lines = (get("long") + "\n").repeat(256);
        int refused = 0;
        List<RawClient> standing = new ArrayList<>();
        for (int i = 0; refused == 0; i++) {
            assertThat(256L * i).as("values that are held").isLessThan(2 * fits + 4096);
            RawClient one = edge.client();
            standing.add(one);
            one.send(head("Content-Length: " + lines.length())).send(lines);
            one.some(1); // Its lines are complete.
            List<JsonObject> answers = batch(get("long"));
            refused = Collections.frequency(statuses(answers), 503);
        }
        for (RawClient each : standing) {
            each.close();
        }
        await().until(() -> statuses(batch(get("long"))).equals(List.of(200)));
    }

    @Test
    void longValuesAreReadByThemselves() throws IOException {
        put("long", "v".repeat((1 << 20) + 1));
        put("fits", "v".repeat(1 << 20));
        List<JsonObject> answers = batch(get("long"), get("fits"), get("long"));
        assertThat(statuses(answers)).containsExactly(413, 200, 413);
        assertThat(answers.get(1).get("value").getAsString()).hasSize(1 << 20);
        assertThat(answers.get(0).has("version")).isTrue();
    }

    /** Whatever a line is, reading it ends with a request or a refusal. */
    @Test
    void randomLinesAreRefusedOrRead() {
        RandomGenerator random = Seed.random("BatchAttacksTest");
        BatchLineReader reader = new BatchLineReader(new QuorumSpec(2, 3), Caller.ANYBODY);
        String whole =
                "{\"op\":\"put\",\"key\":\"\\u00e9\",\"valueBase64\":\"AA==\",\"ttl\":60,"
                        + "\"ifMatch\":\"*\",\"version\":\"019b75a8a0000007-00000002\"}";
        String odd = "{}[]\",:\\u0'1e+-.nullNaN/*#\u0000\u0080\u00ff";
        int read = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] line = whole.getBytes(StandardCharsets.ISO_8859_1);
            for (int change = random.nextInt(4); change > 0; change--) {
                line[random.nextInt(line.length)] = (byte) odd.charAt(random.nextInt(odd.length()));
            }
            int from = random.nextInt(10) == 0 ? random.nextInt(line.length) : 0;
            BatchLine result = reader.read(line, from, line.length);
            read += result instanceof BatchLine.Write ? 1 : 0;
        }
        assertThat(read).isBetween(2_000, 18_000);
    }
}
