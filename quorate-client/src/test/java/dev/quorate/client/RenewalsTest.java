package dev.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When values expire, and changes of that; and the number of keys. */
@Timeout(30)
final class RenewalsTest {

    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Key KEY = Key.of("k");
    private static final WriteOptions FIVE_MINUTES =
            WriteOptions.DEFAULT.timeToLive(Duration.ofMinutes(5));

    @Test
    void anEntryHasItsExpiry() {
        String headers = "X-Quorate-Version: " + FakeNode.VERSION + "\r\n";
        String expires = headers + "X-Quorate-Expires: 1764486210123\r\n";
        String odd = headers + "X-Quorate-Expires: soon\r\n";
        try (Fakes fakes = new Fakes(DEADLINE, FakeNode.of(FakeNode.answer(200, expires, "v")))) {
            assertThat(fakes.client.get("k").orElseThrow().expires())
                    .isEqualTo(Instant.ofEpochMilli(1_764_486_210_123L));
        }
        for (String none : new String[] {headers, odd}) {
            try (Fakes fakes = new Fakes(DEADLINE, FakeNode.of(FakeNode.answer(200, none, "v")))) {
                assertThat(fakes.client.get("k").orElseThrow().expires()).isNull();
            }
        }
    }

    @Test
    void aRenewalIsAPatch() {
        FakeNode node =
                FakeNode.of(
                        "HTTP/1.1 204 x\r\nConnection: close\r\nX-Quorate-Version: "
                                + FakeNode.VERSION
                                + "\r\n\r\n");
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            Version version = new Version(FakeNode.VERSION);
            assertThat(fakes.client.expire(KEY, Condition.ifPresent(), FIVE_MINUTES))
                    .isEqualTo(new WriteResult.Written(version));
            fakes.client.expire(KEY, Condition.ifMatch(version), WriteOptions.DEFAULT);
            assertThat(fakes.seen())
                    .extracting(FakeNode.Seen::method)
                    .containsExactly("PATCH", "PATCH");
            FakeNode.Seen first = fakes.seen().get(0);
            assertThat(first.target()).isEqualTo("/v0/entity?id=k&ttl=300");
            assertThat(first.header("If-Match")).isEqualTo("*");
            assertThat(first.header("X-Quorate-Version")).isEmpty();
            FakeNode.Seen second = fakes.seen().get(1);
            assertThat(second.target()).isEqualTo("/v0/entity?id=k&ttl=none");
            assertThat(second.header("If-Match")).isEqualTo("\"" + version + "\"");
        }
    }

    @Test
    void aMissingKeyAndAnotherVersionAreResults() {
        String other = FakeNode.versioned(412, FakeNode.VERSION);
        try (Fakes fakes = new Fakes(DEADLINE, FakeNode.of(other))) {
            assertThat(fakes.client.expire(KEY, Condition.ifPresent(), FIVE_MINUTES))
                    .isEqualTo(new WriteResult.Unmet(Optional.of(new Version(FakeNode.VERSION))));
        }
        String deleted = FakeNode.versioned(404, FakeNode.VERSION);
        try (Fakes fakes = new Fakes(DEADLINE, FakeNode.of(deleted))) {
            assertThat(fakes.client.expire(KEY, Condition.ifPresent(), FIVE_MINUTES))
                    .isEqualTo(new WriteResult.Unmet(Optional.empty()));
        }
    }

    /** Sent again, it could change a value that another client has written meanwhile. */
    @Test
    void oneWithAnUnknownOutcomeIsNotSentAgain() {
        for (String answer : new String[] {"", FakeNode.versioned(504, FakeNode.VERSION)}) {
            try (Fakes fakes = new Fakes(DEADLINE, FakeNode.of(answer), FakeNode.of(answer))) {
                assertThatThrownBy(
                                () -> fakes.client.expire(KEY, Condition.ifPresent(), FIVE_MINUTES))
                        .isInstanceOf(OutcomeUnknownException.class);
                assertThat(fakes.seen()).hasSize(1);
            }
        }
    }

    @Test
    void oneThatWasNotAttemptedIsSentAgain() {
        FakeNode busy = FakeNode.of(FakeNode.problem(503));
        FakeNode good =
                FakeNode.of(
                        "HTTP/1.1 204 x\r\nConnection: close\r\nX-Quorate-Version: "
                                + FakeNode.VERSION
                                + "\r\n\r\n");
        try (Fakes fakes = new Fakes(DEADLINE, busy, good)) {
            fakes.client.expire(KEY, Condition.ifPresent(), FIVE_MINUTES);
        }
    }

    @Test
    void keysAreCountedInOneRequest() {
        String count = FakeNode.answer(200, "Content-Type: application/json\r\n", "{\"count\":7}");
        try (Fakes fakes = new Fakes(DEADLINE, FakeNode.of(count))) {
            Range range = Range.withPrefix(Key.of("a b")).keysOnly();
            assertThat(fakes.client.count(range)).isEqualTo(7);
            assertThat(fakes.client.count(Range.all())).isEqualTo(7);
            assertThat(fakes.seen())
                    .extracting(FakeNode.Seen::target)
                    .containsExactly(
                            "/v0/entities?count=true&prefix=a%20b",
                            "/v0/entities?count=true&prefix=");
            assertThat(fakes.seen().get(0).header("Accept")).isEqualTo("application/json");
        }
        try (Fakes fakes =
                new Fakes(
                        Duration.ofMillis(300),
                        FakeNode.of(FakeNode.answer(200, "", "{\"count\":\"x\"}")))) {
            assertThatThrownBy(() -> fakes.client.count(Range.all()))
                    .isInstanceOf(UnavailableException.class);
        }
    }
}
