package dev.quorate.testkit;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.HttpHead;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.StreamPlaces;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests and answers to a node while its process runs. While the process is paused, a
 * selector thread that has a request for it blocks and reads no further requests.
 */
record GatedDoor(HttpHandler inside, Life life) implements HttpHandler {

    @Override
    public void handle(HttpRequest request, HttpExchange exchange) {
        if (life.pass()) {
            inside.handle(request, new GatedExchange(exchange, life));
        }
    }

    @Override
    public @Nullable HttpResponse refusal(HttpHead head) {
        return life.pass() ? inside.refusal(head) : null;
    }

    private record GatedExchange(HttpExchange outside, Life life) implements HttpExchange {

        @Override
        public void respond(HttpResponse response) {
            if (life.pass()) {
                outside.respond(response);
            }
        }

        @Override
        public void beforeAnswer(UnaryOperator<HttpResponse> change) {
            outside.beforeAnswer(change);
        }

        @Override
        public void whenGone(Runnable task) {
            outside.whenGone(task);
        }

        @Override
        public String address() {
            return outside.address();
        }

        @Override
        public boolean acquirePlace() {
            return outside.acquirePlace();
        }

        @Override
        public StreamPlaces.Place acquirePlaceForAddress(int most) {
            return outside.acquirePlaceForAddress(most);
        }

        @Override
        public void stream(HttpResponse head, StreamSource source) {
            if (life.pass()) {
                outside.stream(head, new GatedSource(source, life));
            } else {
                source.close();
            }
        }

        @Override
        public void upgrade(HttpRequest request) {
            if (life.pass()) {
                outside.upgrade(request);
            }
        }
    }

    private record GatedSource(HttpExchange.StreamSource inside, Life life)
            implements HttpExchange.StreamSource {

        @Override
        public void pull(HttpExchange.StreamSink sink) {
            if (life.pass()) {
                inside.pull(sink);
            } else {
                sink.abort();
            }
        }

        @Override
        public void close() {
            inside.close();
        }
    }
}
