package dev.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is made of bytes and texts that servers send. */
final class DecodersTest {

    @Test
    void jsonIsStrict() throws Exception {
        Json.Members members =
                Json.object(" {\"a\" : \"x\\u00fc\\n\", \"b\":[1,-2.5e3,true,null,{}], \"c\":7}\n");
        assertThat(members.text("a")).isEqualTo("xü\n");
        assertThat(members.list("b")).hasSize(5);
        assertThat(members.number("c")).isEqualTo(7);
        for (String bad :
                List.of(
                        "",
                        "{",
                        "[]",
                        "{}x",
                        "{\"a\"}",
                        "{\"a\":}",
                        "{\"a\":1,}",
                        "{\"a\":1,\"a\":2}",
                        "{\"a\":\"\\x\"}",
                        "{\"a\":\"\\u00g0\"}",
                        "{\"a\":\"",
                        "{\"a\":01x}",
                        "{\"a\":99999999999999999999}",
                        "{\"a\":" + "[".repeat(50) + "]".repeat(50) + "}")) {
            assertThatThrownBy(() -> Json.object(bad))
                    .as(bad)
                    .isInstanceOf(Json.BadAnswerException.class);
        }
    }

    /** Every change of one character is refused or read: no other exception. */
    @Test
    void noTextIsABug() {
        String text = "{\"a\":[\"\\u00fc\",{\"b\":-1.5e3}],\"c\":true,\"d\":null}";
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder changed = new StringBuilder(text);
            changed.setCharAt(random.nextInt(text.length()), (char) random.nextInt(128));
            changed.setLength(random.nextInt(text.length()) + 1);
            try {
                Json.object(changed.toString());
            } catch (Json.BadAnswerException e) {
                assertThat(e).hasMessageStartingWith("no ");
            }
        }
    }

    @Test
    void aRingThatCannotBeIsRefused() {
        List<String> members = List.of("a", "b");
        for (long[] shape :
                new long[][] {{0, 1}, {3, 1}, {1, 0}, {1, 65_537}, {1, Long.MAX_VALUE}}) {
            assertThatThrownBy(() -> Ring.Shape.checked(shape[0], shape[1], members))
                    .isInstanceOf(Json.BadAnswerException.class);
        }
        for (List<String> names : List.of(List.<String>of(), List.of("a", "a"), List.of("A"))) {
            assertThatThrownBy(() -> Ring.Shape.checked(1, 16, names))
                    .isInstanceOf(Json.BadAnswerException.class);
        }
    }

    @Test
    void versionsAreOrderedAsTheirTexts() {
        Version plain = new Version("01a1ffa680e10000-36c6c909");
        Version step = new Version("01a1ffa680e10000-36c6c909-01a1ffa680e20000");
        Version later = new Version("01a1ffa680e10001-00000000");
        assertThat(List.of(later, step, plain).stream().sorted())
                .containsExactly(plain, step, later);
        for (String bad : List.of("", "x", "01A1ffa680e10000-36c6c909", plain + "-1")) {
            assertThatThrownBy(() -> new Version(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** Of Guava's Hashing.murmur3_128(). */
    @Test
    void tokensAreThoseOfTheNodes() {
        assertThat(Ring.Murmur3.hash(Json.bytes(""))).isZero();
        assertThat(Ring.Murmur3.hash(Json.bytes("hello"))).isEqualTo(0xcbd8a7b341bd9b02L);
        assertThat(Ring.Murmur3.hash(Json.bytes("The quick brown fox jumps over the lazy dog")))
                .isEqualTo(0xe34bbc7bbc071b6cL);
    }

    @Test
    void linesOfABatchAreOperations() {
        String version = "01a1ffa680e10000-36c6c909";
        Map<String, String> lines =
                Map.of(
                        "{\"op\":\"put\",\"key\":\"a\",\"value\":\"\u00fc\",\"ttl\":60,\"contentType\":\"text/plain\"}",
                        "{\"op\":\"put\",\"keyBase64\":\"YQ==\",\"valueBase64\":\"w7w=\",\"ttl\":60,\"contentType\":\"text/plain\"}\n",
                        "{\"op\":\"put\",\"keyBase64\":\"/w==\",\"valueBase64\":\"AQ==\",\"ifNoneMatch\":\"*\"}",
                        "{\"op\":\"put\",\"keyBase64\":\"/w==\",\"valueBase64\":\"AQ==\",\"ifNoneMatch\":\"*\"}\n",
                        "{\"op\":\"delete\",\"key\":\"a\",\"ifMatch\":\"" + version + "\"}",
                        "{\"op\":\"delete\",\"keyBase64\":\"YQ==\",\"ifMatch\":\""
                                + version
                                + "\"}\n",
                        "{\"op\":\"get\",\"key\":\"a\"}",
                        "{\"op\":\"get\",\"keyBase64\":\"YQ==\"}\n");
        lines.forEach(
                (line, sent) ->
                        assertThat(BatchOperation.fromJson(line).line(null)).isEqualTo(sent));
        String versioned = "{\"op\":\"delete\",\"key\":\"a\",\"version\":\"" + version + "\"}";
        assertThat(BatchOperation.fromJson(versioned).version()).isEqualTo(new Version(version));
    }

    @Test
    void badLinesOfABatchAreRefused() {
        for (String bad :
                List.of(
                        "",
                        "{}",
                        "{\"op\":\"put\",\"key\":\"a\"}",
                        "{\"op\":\"put\",\"value\":\"1\"}",
                        "{\"op\":\"put\",\"key\":\"\",\"value\":\"1\"}",
                        "{\"op\":\"put\",\"key\":\"a\",\"keyBase64\":\"YQ==\",\"value\":\"1\"}",
                        "{\"op\":\"put\",\"key\":\"a\",\"value\":1}",
                        "{\"op\":\"put\",\"key\":\"a\",\"valueBase64\":\"?\"}",
                        "{\"op\":\"put\",\"key\":\"a\",\"value\":\"1\",\"ttl\":0}",
                        "{\"op\":\"put\",\"key\":\"a\",\"value\":\"1\",\"version\":\"x\"}",
                        "{\"op\":\"put\",\"key\":\"a\",\"value\":\"1\",\"ifNoneMatch\":\"x\"}",
                        "{\"op\":\"put\",\"key\":\"a\",\"value\":\"1\",\"expires\":1}",
                        "{\"op\":\"delete\",\"key\":\"a\",\"value\":\"1\"}",
                        "{\"op\":\"get\",\"key\":\"a\",\"ifMatch\":\"*\"}",
                        "{\"op\":\"move\",\"key\":\"a\"}")) {
            assertThatThrownBy(() -> BatchOperation.fromJson(bad))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
