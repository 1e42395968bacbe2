package dev.quorate.node.http.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ByteBudget;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the parser makes of bytes. In the inputs {@code |} is a line end; in the transcripts a
 * failure is its status, and an ellipsis a request that has only begun.
 */
final class RequestParserTest {

    private static final HttpLimits LIMITS = HttpLimits.defaults().withMaxBodyBytes(1000);

    private static Arguments row(String input, String... transcript) {
        return Arguments.of(input, List.of(transcript));
    }

    static Stream<Arguments> wellFormed() {
        return Stream.of(
                row("GET / HTTP/1.1|Host: x||", "GET /"),
                row("GET /a/b?id=1&x HTTP/1.1|Host: x||", "GET /a/b ?id=1&x"),
                row("GET /? HTTP/1.1|Host: x||", "GET / ?"),
                row("GET /a?b?c=/d HTTP/1.1|Host: x||", "GET /a ?b?c=/d"),
                row("GET /?id={a}[b]^`\\\"<> HTTP/1.1|Host: x||", "GET / ?id={a}[b]^`\\\"<>"),
                row("||GET / HTTP/1.1|Host: x||".substring(1), "GET /"),
                row("M-SEARCH!#$%&'*+.^_`~ /x HTTP/1.1|Host: x||", "M-SEARCH!#$%&'*+.^_`~ /x"),
                row("GET / HTTP/1.0||", "GET / 1.0 close"),
                row("GET / HTTP/1.0|Connection: Keep-Alive||", "GET / 1.0"),
                row("GET / HTTP/1.1|Host: x|connection: foo , CLOSE||", "GET / close"),
                row("GET / HTTP/1.1|Host: x|Connection: keep-alive, close||", "GET / close"),
                row("GET / HTTP/1.1|Host:||", "GET /"),
                row("GET / HTTP/1.1|host:[::1]:8080||", "GET /"),
                row("GET / HTTP/1.1|Host: x|X-Extra:  two words\t ||", "GET / <two words>"),
                row("GET / HTTP/1.1|Host: x|X-Extra:||", "GET / <>"),
                row("GET / HTTP/1.1|Host: x|X-Extra: \u00e9\u00ff||", "GET / <\u00e9\u00ff>"),
                row("GET / HTTP/1.1|X-Extra: 1|Host: x|X-Extra: 2||", "GET / <1>"),
                row("PUT /a HTTP/1.1|Host: x||", "PUT /a"),
                row("PUT /a HTTP/1.1|Host: x|Content-Length: 0||", "PUT /a"),
                row("PUT /a HTTP/1.1|Host: x|Content-Length: 3||abc", "PUT /a [abc]"),
                row("PUT /a HTTP/1.1|Host: x|Content-Length:  003 ||abc", "PUT /a [abc]"),
                row("PUT /a HTTP/1.0|Content-Length: 1||a", "PUT /a 1.0 close [a]"),
                row("GET /a HTTP/1.1|Host: x|Content-Length: 4||body", "GET /a [body]"),
                row("PUT / HTTP/1.1|Host: x|Content-Length: 2||\r\n", "PUT / [\r\n]"),
                row(
                        "PUT / HTTP/1.1|Host: x|Transfer-Encoding: chunked||3|abc|1|d|0||",
                        "PUT / [abcd]"),
                row("PUT / HTTP/1.1|Host: x|transfer-encoding:CHUNKED||0||", "PUT /"),
                row(
                        "PUT / HTTP/1.1|Host: x|Transfer-Encoding: chunked||"
                                + "A;x=y;z=\"q r\"|0123456789|0000000000000001|x|00|T: 1|U:||",
                        "PUT / [0123456789x]"),
                row(
                        "PUT / HTTP/1.1|Host: x|Expect: 100-CONTINUE|Content-Length: 2||ok",
                        "PUT / [ok]"),
                row("PUT / HTTP/1.1|Host: x|Expect: 100-continue|X-Extra: z||", "PUT / <z>"),
                row(
                        "PUT / HTTP/1.1|Host: x|X-Extra: kept|Content-Length: 2||ok"
                                + "GET /next HTTP/1.1|Host: x||",
                        "PUT / <kept> [ok]",
                        "GET /next"),
                row(
                        "GET /1 HTTP/1.1|Host: x||GET /2 HTTP/1.1|Host: x||GET /3 HTTP/1.1|Ho",
                        "GET /1",
                        "GET /2",
                        "…"),
                row(
                        "PUT /1 HTTP/1.1|Host: x|Transfer-Encoding: chunked||1|x|0||"
                                + "PUT /2 HTTP/1.1|Host: x|Content-Length: 1||y"
                                + "GET /3 HTTP/1.1|Host: x||",
                        "PUT /1 [x]",
                        "PUT /2 [y]",
                        "GET /3"),
                row("", new String[0]),
                row("GET / HTTP/1.1|Host: x|", "…"),
                row("PUT / HTTP/1.1|Host: x|Content-Length: 5||1234", "…"));
    }

    static Stream<Arguments> malformed() {
        return MalformedRequests.all().stream().map(row -> Arguments.of(row.input(), row.status()));
    }

    @ParameterizedTest
    @MethodSource("wellFormed")
    void wellFormedRequestsAreParsedInAnyPieces(String input, List<String> transcript) {
        assertSameInAnyPieces(input, transcript);
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void malformedRequestsFailInAnyPieces(String input, int status) {
        assertSameInAnyPieces(input, List.of(String.valueOf(status)));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void nothingBehindAMalformedRequestIsRead(String input, int status) {
        byte[] bytes =
                ParserTranscript.bytes(
                        "GET /before HTTP/1.1|Host: x||"
                                + input
                                + "DELETE /smuggled HTTP/1.1|Host: x||");
        assertThat(ParserTranscript.of(LIMITS, bytes))
                .containsExactly("GET /before", String.valueOf(status));
    }

    private static void assertSameInAnyPieces(String input, List<String> transcript) {
        byte[] bytes = ParserTranscript.bytes(input);
        assertThat(ParserTranscript.of(LIMITS, bytes)).isEqualTo(transcript);
        assertThat(ParserTranscript.byteByByte(LIMITS, bytes)).isEqualTo(transcript);
        int step = Math.max(1, bytes.length / 400);
        for (int first = 1; first < bytes.length; first += step) {
            assertThat(ParserTranscript.of(LIMITS, bytes, first))
                    .as("split at %d", first)
                    .isEqualTo(transcript);
            assertThat(ParserTranscript.of(LIMITS, bytes, first, 1))
                    .as("split at %d and behind", first)
                    .isEqualTo(transcript);
        }
    }

    @Test
    void limitsHoldToTheByte() {
        List<String> broken = new ArrayList<>();
        check(broken, "GET /" + "a".repeat(8191) + " HTTP/1.1|Host: x||", "GET");
        check(broken, "GET /" + "a".repeat(8192) + " HTTP/1.1|Host: x||", "414");
        check(broken, "M".repeat(32) + " / HTTP/1.1|Host: x||", "M");
        check(broken, "M".repeat(33) + " / HTTP/1.1|Host: x||", "400");
        check(broken, "GET / HTTP/1.1|Host: x|" + "a: b|".repeat(63) + "|", "GET");
        check(broken, "GET / HTTP/1.1|Host: x|" + "a: b|".repeat(64) + "|", "431");
        // "Host: x|", "a: ", "|", "|" take 16 of the 16,384 bytes.
        check(broken, "GET / HTTP/1.1|Host: x|a: " + "b".repeat(16_368) + "||", "GET");
        check(broken, "GET / HTTP/1.1|Host: x|a: " + "b".repeat(16_369) + "||", "431");
        check(broken, "GET / HTTP/1.1|Host: x|" + "a".repeat(20_000), "431");
        check(broken, "GET / HTTP/1.1|Host: x|a:" + " ".repeat(20_000), "431");
        String put = "PUT / HTTP/1.1|Host: x|";
        check(broken, put + "Content-Length: 1000||" + "b".repeat(1000), "PUT / [1000 bytes]");
        check(broken, put + "Content-Length: 1001||" + "b".repeat(1001), "413");
        check(broken, put + "Content-Length: 999999999999999999||", "413");
        String chunked = put + "Transfer-Encoding: chunked||";
        check(broken, chunked + "3E8|" + "b".repeat(1000) + "|0||", "PUT / [1000 bytes]");
        check(broken, chunked + "3E9|" + "b".repeat(1001) + "|0||", "413");
        check(broken, chunked + "3E7|" + "b".repeat(999) + "|2|bb|0||", "413");
        check(broken, chunked + "FFFFFFFFFFFFFFFF|", "413");
        check(broken, chunked + "7FFFFFFFFFFFFFFF|", "413");
        check(broken, chunked + "8000000000000000|", "413");
        check(broken, chunked + "100000000|", "413");
        check(broken, chunked + "1;" + "x".repeat(4096) + "|b|0||", "PUT / [b]");
        check(broken, chunked + "1;" + "x".repeat(4097) + "|b|0||", "400");
        check(broken, chunked + "0|" + "a: b|".repeat(1000) + "|", "PUT /");
        check(broken, chunked + "0|" + "a: b|".repeat(2000) + "|", "400");
        assertThat(broken).isEmpty();
    }

    private static void check(List<String> broken, String input, String beginning) {
        byte[] bytes = ParserTranscript.bytes(input);
        List<String> whole = ParserTranscript.of(LIMITS, bytes);
        List<String> pieces = ParserTranscript.byteByByte(LIMITS, bytes);
        if (whole.size() != 1 || !whole.getFirst().startsWith(beginning) || !whole.equals(pieces)) {
            broken.add(input.substring(0, Math.min(60, input.length())) + " → " + whole + pieces);
        }
    }

    @Test
    void manySmallChunksMakeOneBody() {
        StringBuilder input =
                new StringBuilder("PUT / HTTP/1.1|Host: x|Transfer-Encoding: chunked||");
        for (int i = 0; i < 90; i++) {
            input.append("1|").append(i % 10).append('|');
        }
        assertThat(ParserTranscript.of(LIMITS, ParserTranscript.bytes(input + "0||")))
                .containsExactly("PUT / [" + "0123456789".repeat(9) + "]");
    }

    @Test
    void aDeclaredBodyCostsNoMemoryBeforeItArrives() {
        HttpLimits limits = HttpLimits.defaults().withBudgets(16 << 20, 16 << 20);
        ByteBudget budget = new ByteBudget(20 << 20);
        RequestParser parser = ParserTranscript.parser(limits, budget);
        byte[] head = ParserTranscript.bytes("PUT / HTTP/1.1|Host: x|Content-Length: 16777216||");
        assertThat(parser.feed(head, 0, head.length)).isEqualTo(RequestParser.Event.MORE);
        assertThat(budget.usedBytes()).isZero();
        byte[] piece = new byte[60_000];
        assertThat(parser.feed(piece, 0, piece.length)).isEqualTo(RequestParser.Event.MORE);
        assertThat(budget.usedBytes()).isBetween(60_000L, 200_000L);
        int sent = piece.length;
        RequestParser.Event event = RequestParser.Event.MORE;
        while (event == RequestParser.Event.MORE) {
            int count = Math.min(piece.length, (16 << 20) - sent);
            event = parser.feed(piece, 0, count);
            sent += count;
        }
        assertThat(event).isEqualTo(RequestParser.Event.REQUEST);
        assertThat(parser.takeBody()).hasSize(16 << 20);
        assertThat(budget.usedBytes()).isEqualTo(16 << 20);
    }

    @Test
    void aBodyWithoutRoomIsRefusedAndReleased() {
        ByteBudget budget = new ByteBudget(100_000);
        budget.tryReserve(50_000);
        RequestParser parser = ParserTranscript.parser(HttpLimits.defaults(), budget);
        byte[] head = ParserTranscript.bytes("PUT / HTTP/1.1|Host: x|Content-Length: 90000||");
        parser.feed(head, 0, head.length);
        byte[] piece = new byte[40_000];
        assertThat(parser.feed(piece, 0, piece.length)).isEqualTo(RequestParser.Event.MORE);
        assertThat(parser.feed(piece, 0, piece.length)).isEqualTo(RequestParser.Event.FAILED);
        assertThat(parser.failure().status()).isEqualTo(503);
        assertThat(budget.usedBytes()).isEqualTo(50_000);
    }

    @Test
    void aClientGets100ContinueOnlyBeforeItsBody() {
        String head = "PUT / HTTP/1.1|Host: x|Expect: 100-continue|Content-Length: 2||";
        byte[] bytes = ParserTranscript.bytes(head + "ok");
        RequestParser parser = ParserTranscript.parser(LIMITS, new ByteBudget(1000));
        int headBytes = bytes.length - 2;
        assertThat(parser.feed(bytes, 0, headBytes)).isEqualTo(RequestParser.Event.CONTINUE);
        assertThat(parser.feed(bytes, headBytes, headBytes)).isEqualTo(RequestParser.Event.MORE);
        assertThat(parser.feed(bytes, headBytes, bytes.length))
                .isEqualTo(RequestParser.Event.REQUEST);
        parser.takeBody();
        parser.next();
        assertThat(parser.feed(bytes, 0, bytes.length)).isEqualTo(RequestParser.Event.REQUEST);

        RequestParser full = ParserTranscript.parser(LIMITS, new ByteBudget(1));
        assertThat(full.feed(bytes, 0, headBytes)).isEqualTo(RequestParser.Event.FAILED);
        assertThat(full.failure().status()).isEqualTo(503);
    }

    @Test
    void headersAreReadableUntilTheNextRequest() {
        byte[] bytes = ParserTranscript.bytes("GET / HTTP/1.1|Host: x|A: 1|a: 2|B: 3||");
        RequestParser parser = ParserTranscript.parser(LIMITS, new ByteBudget(1000));
        parser.feed(bytes, 0, bytes.length);
        HttpHeaders headers = parser.head();
        assertThat(headers.first("a")).isEqualTo("1");
        assertThat(headers.isRepeated("a")).isTrue();
        assertThat(headers.isRepeated("b")).isFalse();
        assertThat(headers.first("c")).isNull();
        parser.next();
        assertThatIllegalStateException().isThrownBy(() -> headers.first("a"));
    }

    @Test
    void everyByteIsPutInItsPlace() {
        byte[] targets = new byte[256];
        for (int b = 0; b < 256; b++) {
            String request = "GET /" + (char) b + " HTTP/1.1\r\nHost: x\r\n\r\n";
            byte[] bytes = request.getBytes(StandardCharsets.ISO_8859_1);
            targets[b] =
                    (byte) (ParserTranscript.of(LIMITS, bytes).getFirst().equals("400") ? 0 : 1);
        }
        byte[] expected = new byte[256];
        Arrays.fill(expected, 0x21, 0x7F, (byte) 1);
        expected['#'] = 0;
        expected[' '] = 0;
        assertThat(targets).isEqualTo(expected);
    }
}
