package dev.quorate.node.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.budget.ConnectionLimits;
import dev.quorate.node.http.budget.HttpBudgets;
import dev.quorate.node.http.budget.HttpDeadlines;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Damaged requests by the ten thousand: whatever comes, the parser neither throws nor holds bytes
 * back, and says the same however the bytes are cut.
 */
final class RequestParserFuzzTest {

    private static final int ROUNDS = Integer.getInteger("quorate.fuzz.rounds", 100_000);

    private static final List<String> SEEDS =
            List.of(
                    "GET /v0/entity?id=a%20b&replicas=2/3 HTTP/1.1|Host: localhost:8080|"
                            + "User-Agent: fuzz/1.0|Accept: */*||",
                    "PUT /v0/entity?id=a HTTP/1.1|Host: x|Content-Length: 10||0123456789",
                    "PUT /v0/entity?id=a HTTP/1.1|Host: x|Transfer-Encoding: chunked|"
                            + "Expect: 100-continue||a;x=1|0123456789|3|abc|0|Trailer: 1||",
                    "DELETE /v0/entity?id=a HTTP/1.1|Host: x|Connection: close||",
                    "GET /v0/entities?start=a&end=b HTTP/1.0|Connection: keep-alive||"
                            + "HEAD / HTTP/1.1|Host: x||GET /v0/status HTTP/1.1|Host: x||");

    private static final List<String> TOKENS =
            List.of(
                    "|",
                    "||",
                    "\r",
                    "\n",
                    "\0",
                    " ",
                    "\t",
                    ":",
                    "|Host: x",
                    "|Content-Length: 5",
                    "|Content-Length: 99999999999",
                    "|Transfer-Encoding: chunked",
                    "chunked",
                    "0||",
                    "5|abcde|",
                    "FFFFFFFFFFFFFFFF|",
                    "HTTP/1.0",
                    "HTTP/1.1",
                    "GET / ",
                    "%00",
                    ";",
                    "|Connection: close",
                    "|Expect: 100-continue",
                    "\u00ff",
                    "-1",
                    "+5");

    private static final HttpLimits LIMITS =
            new HttpLimits(
                    256,
                    512,
                    64,
                    ConnectionLimits.withoutAuthentication(1, 1),
                    HttpBudgets.defaults(64),
                    HttpDeadlines.defaults());

    @Test
    void malformedRequestsAreParsedAlikeInAnyPieces() {
        RandomGenerator random = Seed.random("RequestParserFuzzTest");
        for (int round = 0; round < ROUNDS; round++) {
            byte[] input = ParserTranscript.bytes(damaged(random));
            List<String> whole = ParserTranscript.of(LIMITS, input);
            int[] pieces = pieces(random, input.length);
            assertThat(ParserTranscript.of(LIMITS, input, pieces))
                    .as(() -> "input " + Arrays.toString(input) + Arrays.toString(pieces))
                    .isEqualTo(whole);
        }
    }

    private static String damaged(RandomGenerator random) {
        StringBuilder input = new StringBuilder();
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            input.append(SEEDS.get(random.nextInt(SEEDS.size())));
        }
        for (int i = random.nextInt(0, 5); i > 0; i--) {
            int at = random.nextInt(input.length() + 1);
            switch (random.nextInt(6)) {
                case 0 -> input.insert(at, TOKENS.get(random.nextInt(TOKENS.size())));
                case 1 -> input.insert(at, (char) random.nextInt(256));
                case 2 -> input.delete(at, Math.min(input.length(), at + random.nextInt(1, 8)));
                case 3 -> input.setLength(at);
                case 4 -> {
                    int to = Math.min(input.length(), at + random.nextInt(1, 40));
                    input.insert(random.nextInt(input.length() + 1), input.substring(at, to));
                }
                default -> {
                    if (at < input.length()) {
                        input.setCharAt(at, (char) random.nextInt(256));
                    }
                }
            }
        }
        if (random.nextInt(50) == 0) {
            int at = random.nextInt(input.length() + 1);
            input.insert(at, "x".repeat(random.nextInt(1000)));
        }
        return input.toString();
    }

    private static int[] pieces(RandomGenerator random, int length) {
        int most = random.nextInt(4) == 0 ? 1 : random.nextInt(1, 64);
        int[] pieces = new int[length + 1];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = random.nextInt(0, most + 1);
        }
        return pieces;
    }
}
