package dev.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pages are read one by one, checked, and continued at other nodes. */
@Timeout(30)
final class RangesTest {

    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final int ENTRIES = 20;
    private static final Pattern QUERY = Pattern.compile("limit=([0-9]+)&.*cursor=([0-9]*)$");

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(Json.bytes(text));
    }

    private static String line(String key, String value) {
        return "{\"key\":\"%s\",\"value\":\"%s\",\"version\":\"%s\"}\n"
                .formatted(base64(key), base64(value), FakeNode.VERSION);
    }

    private static String key(int number) {
        return "p%02d".formatted(number);
    }

    /** The page of 20 entries that a query asks for; a cursor is a number. */
    private static String page(FakeNode.Seen request, String value) {
        Matcher query = QUERY.matcher(request.target());
        if (!query.find()) {
            return FakeNode.problem(400);
        }
        int from = query.group(2).isEmpty() ? 0 : Integer.parseInt(query.group(2));
        int to = Math.min(ENTRIES, from + Integer.parseInt(query.group(1)));
        StringBuilder body = new StringBuilder();
        for (int i = from; i < to; i++) {
            body.append(line(key(i), value));
        }
        body.append(to < ENTRIES ? "{\"cursor\":\"" + to + "\"}\n" : "");
        return FakeNode.answer(200, "Content-Type: application/x-ndjson\r\n", body.toString());
    }

    private static final Range RANGE = Range.withPrefix(Key.of("p")).pageEntries(3);

    @Test
    void aRangeGoesOnWhereANodeDies() {
        FakeNode dying = new FakeNode((request, connection) -> connection.send(page(request, "v")));
        FakeNode other = new FakeNode((request, connection) -> connection.send(page(request, "v")));
        try (Fakes fakes = new Fakes(DEADLINE, dying, other)) {
            List<String> keys =
                    fakes.client
                            .entries(RANGE)
                            .map(entry -> entry.key().toString())
                            .peek(
                                    key -> {
                                        if (key.equals(key(7))) {
                                            dying.close();
                                        }
                                    })
                            .toList();
            assertThat(keys).hasSize(ENTRIES).isSorted().doesNotHaveDuplicates();
            assertThat(fakes.seen().get(0).header("Accept")).isEqualTo("application/x-ndjson");
        }
    }

    @Test
    void aPageIsReadWhenItIsNeeded() {
        FakeNode node = new FakeNode((request, connection) -> connection.send(page(request, "v")));
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            assertThat(fakes.client.entries(RANGE).limit(4).toList()).hasSize(4);
            assertThat(node.seen()).hasSize(2);
        }
    }

    @Test
    void anEmptyPageWithACursorIsNotTheLast() {
        FakeNode node =
                new FakeNode(
                        (request, connection) ->
                                connection.send(
                                        request.target().endsWith("cursor=")
                                                ? FakeNode.answer(200, "", "{\"cursor\":\"17\"}\n")
                                                : page(request, "v")));
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            assertThat(fakes.client.entries(RANGE).map(entry -> entry.key().toString()))
                    .containsExactly(key(17), key(18), key(19));
        }
    }

    @Test
    void aReversedRangeIsInDescendingOrder() {
        String two = line(key(2), "v");
        String one = line(key(1), "v");
        FakeNode node = FakeNode.of(FakeNode.answer(200, "", two + one));
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            Range range = RANGE.keysOnly().reverse();
            assertThat(fakes.client.entries(range).map(entry -> entry.key().toString()))
                    .containsExactly(key(2), key(1));
            assertThat(node.seen().get(0).target())
                    .contains("prefix=p&keys=only&reverse=1&")
                    .endsWith("cursor=");
        }
        for (String body : List.of(one + two, two + two)) {
            FakeNode odd = FakeNode.of(FakeNode.answer(200, "", body));
            try (Fakes fakes = new Fakes(Duration.ofMillis(200), odd)) {
                assertThatThrownBy(() -> fakes.client.page(RANGE.reverse()))
                        .as(body)
                        .isInstanceOf(UnavailableException.class);
            }
        }
    }

    @Test
    void aPageThatIsCutOffOrNotWhatWasAskedForIsReadElsewhere() {
        String sound = line("p1", "v");
        for (String body :
                List.of(
                        sound.substring(0, 20),
                        sound + sound,
                        line("p2", "v") + sound,
                        line("q", "v"),
                        sound + line("p2", "v") + line("p3", "v") + line("p4", "v"),
                        "{\"cursor\":\"3\"}\n" + sound,
                        "{\"key\":\"" + base64("p") + "\"}\n",
                        "{\"key\":\"!\",\"value\":\"\",\"version\":\"" + FakeNode.VERSION + "\"}\n",
                        "[".repeat(100_000) + "\n")) {
            FakeNode odd = FakeNode.of(FakeNode.answer(200, "", body));
            FakeNode good =
                    new FakeNode((request, connection) -> connection.send(page(request, "v")));
            try (Fakes fakes = new Fakes(DEADLINE, odd, good)) {
                assertThat(fakes.client.entries(RANGE)).as(body).hasSize(ENTRIES);
            }
            try (Fakes fakes =
                    new Fakes(
                            Duration.ofMillis(200), FakeNode.of(FakeNode.answer(200, "", body)))) {
                assertThatThrownBy(() -> fakes.client.page(RANGE))
                        .as(body)
                        .isInstanceOf(UnavailableException.class);
            }
        }
    }

    /** A page of eight entries would have more than 1 MiB. */
    @Test
    void aPageThatIsTooLargeIsAskedForWithFewerEntries() {
        String value = "v".repeat(100_000);
        FakeNode node =
                new FakeNode((request, connection) -> connection.send(page(request, value)));
        try (node;
                QuorateClient client =
                        QuorateClient.builder()
                                .nodes(List.of(node.uri()))
                                .maxAnswerBytes(1 << 20)
                                .deadline(Duration.ofSeconds(10))
                                .attemptTimeout(Duration.ofSeconds(10))
                                .build()) {
            assertThat(client.entries(RANGE.pageEntries(20)).count()).isEqualTo(ENTRIES);
            assertThat(node.seen()).anyMatch(request -> request.target().contains("limit=5&"));
        }
    }

    @Test
    void whatExcludesEachOtherIsRefused() {
        Key key = Key.of("k");
        assertThatThrownBy(() -> new Range(key, null, key, false, false, 1, ReadOptions.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RANGE.pageEntries(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RANGE.options(ReadOptions.DEFAULT.linearizable()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
