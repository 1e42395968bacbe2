package dev.quorate.loadtest.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerReaderTest {

    private static final String ANSWERS =
            "HTTP/1.1 200 OK|Content-Length: 5||abcde"
                    + "HTTP/1.1 503 Service Unavailable|ETag:  \"a-1\"|content-length:0||"
                    + "HTTP/1.1 200 OK|Transfer-Encoding: Chunked||3|a0b|10;x=y|0||0||012345|0||"
                    + "HTTP/1.1 100 Continue||"
                    + "HTTP/1.1 204|X-Other: content-length: 5||"
                    + "HTTP/1.1 200 OK|Transfer-Encoding: chunked||0|Trailer: x||"
                    + "HTTP/1.1 304 Not Modified|Content-Length: 7||"
                    + "HTTP/1.1 201 Created|CONTENT-LENGTH:  0 |Connection: keep-alive, Close||"
                    + "HTTP/1.0 404 Not Found|Content-Length: 1||x";

    private static final List<String> READ =
            List.of(
                    "200 abcde",
                    "503 tag \"a-1\" ",
                    "200 a0b0||0||012345",
                    "204 ",
                    "200 ",
                    "304 ",
                    "201 closes ",
                    "404 closes x");

    private final AnswerReader reader = new AnswerReader();
    private final StringBuilder body = new StringBuilder();

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.replace("|", "\r\n").getBytes(ISO_8859_1));
    }

    private void append(ByteBuffer bytes, int from, int count) {
        for (int i = 0; i < count; i++) {
            body.append((char) (bytes.get(from + i) & 0xFF));
        }
    }

    private String tag() {
        byte[] tag = new byte[AnswerReader.MAX_TAG_BYTES];
        int length = reader.copyTag(tag);
        return length == 0 ? "" : " tag " + new String(tag, 0, length, US_ASCII);
    }

    private List<String> read(ByteBuffer bytes, int size) throws ProtocolException {
        List<String> seen = new ArrayList<>();
        int end = bytes.limit();
        for (int from = 0; from < end; from += size) {
            bytes.limit(Math.min(end, from + size)).position(from);
            while (bytes.hasRemaining() && reader.feed(bytes, this::append)) {
                seen.add(
                        reader.status()
                                + tag()
                                + (reader.closes() ? " closes" : "")
                                + " "
                                + body.toString().replace("\r\n", "|"));
                body.setLength(0);
            }
        }
        return seen;
    }

    @Test
    void answersAreSeparatedHoweverTheyAreFragmented() throws ProtocolException {
        ByteBuffer all = bytes(ANSWERS);
        for (int size = 1; size <= all.capacity(); size++) {
            assertThat(read(all.clear(), size)).as("pieces of %s", size).isEqualTo(READ);
        }
    }

    @Test
    void whatHasNoLengthEndsWithTheConnection() throws ProtocolException {
        assertThat(read(bytes("HTTP/1.1 200 OK||all that||comes"), 3)).isEmpty();
        assertThat(reader.endsWithConnection()).isTrue();
        assertThat(body).hasToString("all that\r\n\r\ncomes");
        assertThat(reader.status()).isEqualTo(200);
        assertThat(reader.closes()).isTrue();
        assertThat(new AnswerReader().endsWithConnection()).isFalse();
    }

    @Test
    void anUnparsedLineMayBeLong() throws ProtocolException {
        String head = "HTTP/1.1 200 OK|X-Long: " + "x".repeat(9_000) + "|Content-Length: 1||a";
        assertThat(read(bytes(head), 100)).containsExactly("200 a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9||",
                "||",
                "HTTP/1.1 OK||",
                "HTTP/1.1 2000||",
                "HTTP/1.2 200 OK||",
                "HTTP/1.1 0200||",
                "HTTP/1.1_200 OK||",
                "HTTP/1.1 200 OK|Content-Length: many||",
                "HTTP/1.1 200 OK|Content-Length: -1||",
                "HTTP/1.1 200 OK|Content-Length: ||",
                "HTTP/1.1 200 OK|Content-Length: 1|Content-Length: 2||",
                "HTTP/1.1 200 OK|Content-Length: 9999999999999999999||",
                "HTTP/1.1 200 OK|Transfer-Encoding: chunked||-1|",
                "HTTP/1.1 200 OK|Transfer-Encoding: chunked|||",
                "HTTP/1.1 200 OK|Transfer-Encoding: chunked||1G|",
                "HTTP/1.1 200 OK|Transfer-Encoding: chunked||fffffffffffffffff|",
                "HTTP/1.1 200 OK|Transfer-Encoding: chunked||1|ab|",
            })
    void whatIsNoAnswerIsRefused(String text) {
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> read(bytes(text), 7));
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 200 OK|X: , y",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||1;, z",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||0|X: , t"
    })
    void whatNeverEndsIsRefused(String start, String more) {
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> read(bytes(start + more.repeat(20_000)), 4_096))
                .withMessage("the head of an answer is too long");
    }

    @Test
    void garbageIsEitherReadOrRefused() {
        SplittableRandom random = new SplittableRandom(1);
        byte[] good = bytes(ANSWERS).array();
        int refused = 0;
        for (int round = 0; round < 2_000; round++) {
            byte[] garbage = good.clone();
            for (int i = 0; i < 3; i++) {
                garbage[random.nextInt(garbage.length)] = (byte) random.nextInt();
            }
            AnswerReader each = new AnswerReader();
            ByteBuffer bytes = ByteBuffer.wrap(garbage);
            try {
                while (bytes.hasRemaining()) {
                    int before = bytes.remaining();
                    each.feed(bytes, (_, _, _) -> {});
                    assertThat(bytes.remaining()).isLessThan(before);
                }
            } catch (ProtocolException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }
}
