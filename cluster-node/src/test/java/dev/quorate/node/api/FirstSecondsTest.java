package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.runtime.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that come before this node has found the others wait for that, within bounds. */
class FirstSecondsTest {

    private final ManualTime time = new ManualTime();
    private final List<String> served = new ArrayList<>();
    private final List<Integer> refused = new ArrayList<>();
    private final HttpExchange exchange =
            new HttpExchange() {
                @Override
                public void respond(HttpResponse response) {
                    refused.add(response.status());
                }

                @Override
                public void stream(HttpResponse head, StreamSource source) {
                    throw new AssertionError(head);
                }
            };
    private boolean isReady;
    private int checks;
    private Runnable next = () -> {};
    private final FirstSeconds first = patient(Duration.ofSeconds(2));

    private FirstSeconds patient(Duration timeout) {
        return new FirstSeconds(
                (request, exchange) -> served.add(request.query()),
                () -> isReady,
                time,
                timeout,
                check -> {
                    checks++;
                    next = check;
                });
    }

    private void ask(String path, String query, int bytes) {
        first.handle(new HttpRequest("PUT", path, query, name -> null, new byte[bytes]), exchange);
    }

    private void ask(String query) {
        ask("/v0/entity", query, 1);
    }

    @Test
    void requestsWaitUntilTheNodeIsReadyAndNoneAfterThat() {
        ask("a");
        ask("b");
        next.run();
        assertThat(served).isEmpty();
        isReady = true;
        next.run();
        assertThat(served).containsExactly("a", "b");
        isReady = false;
        ask("c");
        assertThat(served).as("later it is not the first time").containsExactly("a", "b", "c");
        assertThat(checks).as("one for the first, one while they waited").isEqualTo(2);
    }

    @Test
    void pagesDoNotWait() {
        ask("/livez", "page", 0);
        assertThat(served).containsExactly("page");
    }

    @Test
    void aRequestThatHasWaitedTooLongIsServed() {
        ask("a");
        time.advance(FirstSeconds.PATIENCE.minusMillis(1));
        ask("b");
        next.run();
        assertThat(served).isEmpty();
        time.advanceMillis(1);
        next.run();
        assertThat(served).containsExactly("a");
        assertThat(refused).isEmpty();
    }

    @Test
    void aLongerTimeoutIsWaitedFor() {
        FirstSeconds longer = patient(Duration.ofSeconds(20));
        longer.handle(
                new HttpRequest("GET", "/v0/entities", "a", name -> null, new byte[0]), exchange);
        time.advanceMillis(19_999);
        next.run();
        assertThat(served).isEmpty();
        time.advanceMillis(1);
        next.run();
        assertThat(served).containsExactly("a");
    }

    @Test
    void howManyWaitIsBounded() {
        for (int i = 0; i < FirstSeconds.MAX_WAITING; i++) {
            ask("x" + i);
        }
        ask("more");
        assertThat(refused).containsExactly(503);
        isReady = true;
        next.run();
        assertThat(served).hasSize(FirstSeconds.MAX_WAITING).doesNotContain("more");
    }

    @Test
    void theirBytesAreBounded() {
        int half = (int) FirstSeconds.MAX_BYTES / 2;
        ask("/v0/entity", "a", half);
        ask("/v0/entity", "b", half);
        ask("/v0/entity", "c", 1);
        assertThat(refused).containsExactly(503);
        time.advance(FirstSeconds.PATIENCE);
        next.run();
        ask("/v0/entity", "d", half);
        assertThat(refused).as("those that were served take no room").containsExactly(503);
    }
}
