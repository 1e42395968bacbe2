package dev.quorate.loadtest.pressure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerReaderTest {

    private static final String ANSWERS =
            "HTTP/1.1 200 OK|Content-Length: 5||abcde"
                    + "HTTP/1.1 503 Service Unavailable|Retry-After: 1|content-length:0||"
                    + "HTTP/1.1 200 OK|Transfer-Encoding: chunked||3|a0b|10|0123456789abcdef|0||"
                    + "HTTP/1.1 201 Created|Content-Length: 0|Connection: close||";

    @Test
    void answersAreToldApartInWhateverPiecesTheyCome() throws IOException {
        byte[] bytes = Requests.bytes(ANSWERS.replace("|", "\r\n")).array();
        for (int size = 1; size <= bytes.length; size++) {
            AnswerReader reader = new AnswerReader();
            List<String> seen = new ArrayList<>();
            for (int from = 0; from < bytes.length; from += size) {
                ByteBuffer piece =
                        ByteBuffer.wrap(bytes, from, Math.min(size, bytes.length - from));
                while (piece.hasRemaining() && reader.feed(piece)) {
                    seen.add(
                            reader.status()
                                    + (reader.hasRetryAfter() ? " retry" : "")
                                    + (reader.closes() ? " closes" : ""));
                }
            }
            assertThat(seen).containsExactly("200", "503 retry", "200", "201 closes");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9||",
                "||",
                "HTTP/1.1 OK||",
                "HTTP/1.1 2000||",
                "HTTP/1.1 200 OK|Content-Length: many||",
                "HTTP/1.1 200 OK|Content-Length: -1||",
                "HTTP/1.1 200 OK|Content-Length: 9999999999999999999||",
            })
    void whatIsNoAnswerIsRefused(String text) {
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(
                        () -> new AnswerReader().feed(Requests.bytes(text.replace("|", "\r\n"))));
    }
}
