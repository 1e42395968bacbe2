package dev.quorate.loadtest.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RespReaderTest {

    private static final String ANSWERS =
            "+OK|$5|abcde|$-1|-NOAUTH Authentication required.|:7|$0||$4|a|b|-ERR x|$2|||+PONG|";

    private final RespReader reader = new RespReader();
    private final StringBuilder body = new StringBuilder();

    private void append(ByteBuffer bytes, int from, int count) {
        for (int i = 0; i < count; i++) {
            body.append((char) bytes.get(from + i));
        }
    }

    private List<String> read(String text, int size) throws ProtocolException {
        byte[] all = text.replace("|", "\r\n").getBytes(ISO_8859_1);
        List<String> read = new ArrayList<>();
        for (int from = 0; from < all.length; from += size) {
            ByteBuffer piece = ByteBuffer.wrap(all, from, Math.min(size, all.length - from));
            while (piece.hasRemaining()) {
                if (reader.feed(piece, this::append)) {
                    read.add(reader.status() + " " + body.toString().replace("\r\n", "|"));
                    body.setLength(0);
                }
            }
        }
        return read;
    }

    @Test
    void answersHaveTheStatusThatHttpWouldGiveThemInWhateverPiecesTheyCome() throws Exception {
        for (int size = 1; size <= ANSWERS.length() + 20; size++) {
            assertThat(read(ANSWERS, size))
                    .as("pieces of %d", size)
                    .containsExactly(
                            "201 ",
                            "200 abcde",
                            "404 ",
                            "401 ",
                            "201 ",
                            "200 ",
                            "200 a|b",
                            "500 ",
                            "200 |",
                            "201 ");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "HTTP/1.1 400 Bad Request|; an answer begins with 'HTTP/1.1 400 Bad Request'",
                "|;                         an answer begins with ''",
                "$x|;                       an answer begins with '$x'",
                "$-2|;                      an answer begins with '$-2'",
                "$9999999999|;              an answer begins with '$9999999999'",
                "$2|abc|;                   a value is longer than its length says",
            })
    void whatIsNoAnswerIsRefused(String text, String message) {
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> read(text, 100))
                .withMessage(message);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 4_096})
    void aLineThatNeverEndsIsRefusedAndNotKept(int size) {
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> read("+" + "x".repeat(10_000), size))
                .withMessageStartingWith("an answer begins with '+xxx");
    }
}
