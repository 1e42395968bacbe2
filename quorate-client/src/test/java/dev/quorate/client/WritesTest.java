package dev.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which writes are sent again, and how. */
@Timeout(30)
final class WritesTest {

    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Key KEY = Key.of("k");
    private static final byte[] VALUE = {1, 2, 3};
    private static final String OTHER = "01a1ffa680e10000-36c6c910";

    private static FakeNode silent() {
        return new FakeNode((request, connection) -> {});
    }

    @Test
    void aWriteWithoutAnAnswerIsNotSentAgain() {
        try (Fakes fakes = new Fakes(DEADLINE, silent(), silent())) {
            var failure =
                    catchThrowableOfType(
                            OutcomeUnknownException.class,
                            () -> fakes.client.put(KEY, VALUE, WriteOptions.DEFAULT));
            assertThat(failure.version()).isEmpty();
            assertThat(fakes.seen()).hasSize(1);
            assertThat(fakes.seen().get(0).header("X-Quorate-Version")).isEmpty();
        }
    }

    @Test
    void norIsOneThatIsAnsweredWithWhatNoNodeSends() {
        for (String odd :
                List.of(
                        "garbage\r\n\r\n",
                        FakeNode.answer(201, "", ""),
                        FakeNode.answer(200, "", ""),
                        FakeNode.answer(302, "Location: /elsewhere\r\n", ""),
                        FakeNode.answer(500, "", ""),
                        FakeNode.answer(503, "Retry-After: 1\r\n", "<html>"),
                        FakeNode.answer(504, "X-Quorate-Version: nonsense\r\n", ""),
                        FakeNode.answer(412, "", ""))) {
            try (Fakes fakes = new Fakes(DEADLINE, FakeNode.of(odd), FakeNode.of(odd))) {
                assertThatThrownBy(() -> fakes.client.put(KEY, VALUE, WriteOptions.DEFAULT))
                        .as(odd)
                        .isInstanceOf(OutcomeUnknownException.class);
                assertThat(fakes.seen()).as(odd).hasSize(1);
            }
        }
    }

    @Test
    void afterA504ItIsSentUnderTheVersionOfTheAnswer() {
        FakeNode late =
                new FakeNode(
                        (request, connection) -> {
                            boolean isFirst = request.header("X-Quorate-Version").isEmpty();
                            connection.send(
                                    isFirst
                                            ? FakeNode.versioned(504, OTHER)
                                            : FakeNode.versioned(504, FakeNode.VERSION));
                        });
        try (Fakes fakes = new Fakes(SHORT, late)) {
            var failure =
                    catchThrowableOfType(
                            OutcomeUnknownException.class,
                            () -> fakes.client.put(KEY, VALUE, WriteOptions.DEFAULT));
            assertThat(failure.version()).hasValue(new Version(OTHER));
            List<FakeNode.Seen> seen = fakes.seen();
            assertThat(seen).hasSizeGreaterThan(2);
            assertThat(seen.subList(1, seen.size()))
                    .allMatch(each -> each.header("X-Quorate-Version").equals(OTHER));
            // And with the version the user may go on.
            late.become((request, connection) -> connection.send(FakeNode.written()));
            fakes.client.put(
                    KEY, VALUE, WriteOptions.DEFAULT.version(failure.version().orElseThrow()));
            assertThat(fakes.seen().get(fakes.seen().size() - 1).header("X-Quorate-Version"))
                    .isEqualTo(OTHER);
        }
    }

    @Test
    void whereNothingWasAttemptedItIsSentAgainAsItIs() {
        for (String refusal : List.of(FakeNode.problem(503), FakeNode.problem(504))) {
            FakeNode refusing = FakeNode.of(refusal);
            try (Fakes fakes = new Fakes(DEADLINE, refusing, FakeNode.of(FakeNode.written()))) {
                for (int i = 0; i < 40; i++) { // Each begins at either node.
                    assertThat(fakes.client.put("k", "v").text()).isEqualTo(FakeNode.VERSION);
                }
                assertThat(fakes.seen()).allMatch(r -> r.header("X-Quorate-Version").isEmpty());
                assertThat(refusing.seen()).isNotEmpty();
            }
        }
    }

    @Test
    void aNodeThatIsDownIsPassedOver() {
        FakeNode down = silent();
        down.close();
        try (Fakes fakes = new Fakes(DEADLINE, down, FakeNode.of(FakeNode.written()))) {
            for (int i = 0; i < 8; i++) {
                assertThat(fakes.client.put("k", "v").text()).isEqualTo(FakeNode.VERSION);
            }
        }
        try (Fakes fakes = new Fakes(SHORT, down)) {
            assertThatThrownBy(() -> fakes.client.put("k", "v"))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("Nothing is stored")
                    .hasMessageContaining("cannot be reached");
        }
    }

    @Test
    void aRefusalIsFinal() {
        try (Fakes fakes = new Fakes(DEADLINE, FakeNode.of(FakeNode.problem(413)))) {
            var failure =
                    catchThrowableOfType(RefusedException.class, () -> fakes.client.put("k", "v"));
            assertThat(failure.status()).isEqualTo(413);
            assertThat(failure).hasMessageContaining("so it is");
            assertThat(fakes.seen()).hasSize(1);
        }
    }

    /** The earlier attempt may be stored. */
    @Test
    void aRefusalAfterAnUnknownOutcomeLeavesItUnknown() {
        FakeNode node =
                new FakeNode(
                        (request, connection) ->
                                connection.send(
                                        request.header("X-Quorate-Version").isEmpty()
                                                ? FakeNode.versioned(504, OTHER)
                                                : FakeNode.problem(409)));
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            assertThatThrownBy(() -> fakes.client.put("k", "v"))
                    .isInstanceOf(OutcomeUnknownException.class);
        }
    }

    @Test
    void aConditionalWriteHasOneVersionFromTheFirstAttemptOn() {
        FakeNode losing = silent();
        try (Fakes fakes = new Fakes(SHORT, losing)) {
            Condition condition = Condition.ifMatch(new Version(OTHER));
            assertThatThrownBy(
                            () -> fakes.client.putIf(KEY, VALUE, condition, WriteOptions.DEFAULT))
                    .isInstanceOf(OutcomeUnknownException.class);
            List<String> versions =
                    fakes.seen().stream().map(r -> r.header("X-Quorate-Version")).toList();
            assertThat(versions).hasSizeGreaterThan(2).doesNotContain("");
            assertThat(List.copyOf(new java.util.HashSet<>(versions))).hasSize(1);
            assertThat(fakes.seen())
                    .allMatch(r -> r.header("If-Match").equals("\"" + OTHER + "\""));
            losing.become((request, connection) -> connection.send(FakeNode.versioned(412, OTHER)));
            assertThat(fakes.client.putIf(KEY, VALUE, condition, WriteOptions.DEFAULT))
                    .isEqualTo(new WriteResult.Unmet(Optional.of(new Version(OTHER))));
            losing.become((request, connection) -> connection.send(FakeNode.problem(412)));
            assertThat(fakes.client.deleteIf(KEY, Condition.ifAbsent(), WriteOptions.DEFAULT))
                    .isEqualTo(new WriteResult.Unmet(Optional.empty()));
        }
    }

    /** Its time would count from the client's clock. */
    @Test
    void aConditionalWriteThatExpiresHasItsVersionFromANode() {
        try (Fakes fakes = new Fakes(DEADLINE, silent())) {
            WriteOptions expiring = WriteOptions.DEFAULT.timeToLive(Duration.ofSeconds(60));
            assertThatThrownBy(() -> fakes.client.putIf(KEY, VALUE, Condition.ifAbsent(), expiring))
                    .isInstanceOf(OutcomeUnknownException.class);
            assertThat(fakes.seen()).hasSize(1);
            assertThat(fakes.seen().get(0).target()).endsWith("&ttl=60");
            assertThat(fakes.seen().get(0).header("X-Quorate-Version")).isEmpty();
        }
    }

    /**
     * The client's clock is wrong: nothing was written, so the write can do without its version.
     */
    @Test
    void aChosenVersionThatIsRefusedIsGivenUp() {
        FakeNode node =
                new FakeNode(
                        (request, connection) ->
                                connection.send(
                                        request.header("X-Quorate-Version").isEmpty()
                                                ? FakeNode.written()
                                                : FakeNode.problem(409)));
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            assertThat(fakes.client.putIf(KEY, VALUE, Condition.ifAbsent(), WriteOptions.DEFAULT))
                    .isEqualTo(new WriteResult.Written(new Version(FakeNode.VERSION)));
            assertThat(fakes.seen()).hasSize(2);
        }
    }

    @Test
    void aRepeatableWriteIsNewerThanWhatIsThereAndIsSentUntilItIsAnswered() {
        String newest = "ffff000000000000-00000001-ffff000000000007";
        int[] attempts = {0};
        FakeNode node =
                new FakeNode(
                        (request, connection) -> {
                            if (request.method().equals("HEAD")) {
                                connection.send(
                                        "HTTP/1.1 200 x\r\nConnection: close\r\nContent-Length:"
                                                + " 5\r\nX-Quorate-Version: "
                                                + newest
                                                + "\r\n\r\n");
                            } else if (request.method().equals("PUT") && ++attempts[0] == 3) {
                                connection.send(FakeNode.written());
                            }
                        });
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            fakes.client.put(KEY, VALUE, WriteOptions.DEFAULT.repeatable());
            List<String> versions =
                    fakes.seen().stream()
                            .filter(request -> request.method().equals("PUT"))
                            .map(request -> request.header("X-Quorate-Version"))
                            .toList();
            assertThat(versions).hasSize(3).allMatch(v -> v.startsWith("ffff000000000008-"));
            assertThat(versions.stream().distinct()).hasSize(1);
        }
    }
}
