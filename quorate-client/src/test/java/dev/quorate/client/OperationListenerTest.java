package dev.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A listener is called for each operation, and all requests of one have its trace. */
@Timeout(30)
final class OperationListenerTest {

    private static final Duration DEADLINE = Duration.ofMillis(500);
    private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private final List<String> events = new CopyOnWriteArrayList<>();
    private @Nullable String parent;

    private OperationListener.Observer begin(String name, @Nullable Key key) {
        events.add(name + " " + key);
        return new OperationListener.Observer() {
            @Override
            public @Nullable String traceparent() {
                return parent;
            }

            @Override
            public void attempted(OperationListener.Attempt attempt) {
                assertThat(attempt.time()).isPositive();
                events.add(attempt.number() + " " + attempt.status() + " " + attempt.problem());
            }

            @Override
            public void ended(@Nullable Throwable failure) {
                events.add("ended " + (failure == null ? "" : failure.getClass().getSimpleName()));
            }
        };
    }

    private void awaitEvents(String... expected) {
        await().untilAsserted(() -> assertThat(events).containsExactly(expected));
    }

    @Test
    void eachRequestOfAnOperationIsReported() {
        FakeNode busy = FakeNode.of(FakeNode.problem(503));
        try (Fakes fakes = new Fakes(DEADLINE, this::begin, busy)) {
            busy.become(
                    (request, connection) -> {
                        connection.send(FakeNode.problem(503));
                        busy.become((next, open) -> open.send(FakeNode.value("hello")));
                    });
            assertThat(fakes.client.get("k")).isPresent();
            awaitEvents("get k", "1 503 503: so it is", "2 200 null", "ended ");
        }
    }

    @Test
    void aFailureEndsTheOperationAndNamesTheTrace() {
        parent = PARENT;
        FakeNode node = FakeNode.of(FakeNode.problem(400));
        try (Fakes fakes = new Fakes(DEADLINE, this::begin, node)) {
            RefusedException failure =
                    catchThrowableOfType(RefusedException.class, () -> fakes.client.put("k", "v"));
            assertThat(failure.traceId()).contains("4bf92f3577b34da6a3ce929d0e0e4736");
            assertThat(failure).hasMessageEndingWith("Trace 4bf92f3577b34da6a3ce929d0e0e4736");
            assertThat(fakes.seen()).allMatch(each -> each.header("traceparent").equals(PARENT));
            await().until(() -> events.contains("ended RefusedException"));
        }
    }

    @Test
    void allRequestsOfAnOperationHaveOneTrace() {
        String zero = "00-" + "0".repeat(32) + "-00f067aa0ba902b7-01";
        for (String odd : Arrays.asList(null, "", PARENT + "0", PARENT.replace('f', 'F'), zero)) {
            parent = odd;
            try (Fakes fakes =
                    new Fakes(DEADLINE, this::begin, FakeNode.of(FakeNode.problem(504)))) {
                UnavailableException first =
                        catchThrowableOfType(
                                UnavailableException.class, () -> fakes.client.get("k"));
                List<String> parents =
                        fakes.seen().stream().map(each -> each.header("traceparent")).toList();
                assertThat(parents).hasSizeGreaterThan(1);
                assertThat(parents.get(0)).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00");
                assertThat(parents).containsOnly(parents.get(0));
                assertThat(parents.get(0)).contains("-" + first.traceId().orElseThrow() + "-");
                UnavailableException second =
                        catchThrowableOfType(
                                UnavailableException.class, () -> fakes.client.get("k"));
                assertThat(second.traceId()).isNotEqualTo(first.traceId());
            }
        }
    }

    @Test
    void theFailuresOfABatchNameItsTrace() {
        parent = PARENT;
        FakeNode node = FakeNode.of(FakeNode.problem(400));
        try (Fakes fakes = new Fakes(DEADLINE, this::begin, node)) {
            List<BatchResult> results =
                    fakes.client.batch(List.of(BatchOperation.get("k")), WriteOptions.DEFAULT);
            assertThat(((BatchResult.Failed) results.get(0)).why().traceId())
                    .contains("4bf92f3577b34da6a3ce929d0e0e4736");
        }
    }

    @Test
    void exceptionsOfObserversDoNotAffectTheOperation() {
        OperationListener bad =
                (name, key) ->
                        new OperationListener.Observer() {
                            @Override
                            public void attempted(OperationListener.Attempt attempt) {
                                throw new IllegalStateException("bad observer");
                            }

                            @Override
                            public void ended(@Nullable Throwable failure) {
                                throw new IllegalStateException("bad observer");
                            }
                        };
        try (Fakes fakes = new Fakes(DEADLINE, bad, FakeNode.of(FakeNode.value("hello")))) {
            assertThat(fakes.client.get("k").orElseThrow().text()).isEqualTo("hello");
        }
    }

    @Test
    void anExceptionAtTheBeginningIsTheCallers() {
        IllegalStateException mine = new IllegalStateException("mine");
        OperationListener bad =
                (name, key) -> {
                    throw mine;
                };
        try (Fakes fakes = new Fakes(DEADLINE, bad, FakeNode.of(FakeNode.value("hello")))) {
            assertThatThrownBy(() -> fakes.client.get("k")).isSameAs(mine);
            assertThat(fakes.seen()).isEmpty();
        }
    }

    @Test
    void anEntryExplainsItselfIfAsked() {
        String headers =
                "X-Quorate-Version: "
                        + FakeNode.VERSION
                        + "\r\nX-Quorate-Explain: both have it\r\nX-Quorate-Replica: n1; a\r\n"
                        + "X-Quorate-Replica: n2; b\r\n";
        FakeNode node = FakeNode.of(FakeNode.answer(200, headers, "v"));
        try (Fakes fakes = new Fakes(DEADLINE, node)) {
            Entry entry = fakes.client.get("k", ReadOptions.DEFAULT.explained()).orElseThrow();
            assertThat(entry.explanation()).containsExactly("both have it", "n1; a", "n2; b");
            assertThat(fakes.seen().get(0).target()).isEqualTo("/v0/entity?id=k&explain=1");
        }
    }
}
