package dev.quorate.node.http;

/**
 * Answers requests. Called on a selector thread: it must not block. An exception is answered with
 * 500.
 */
@FunctionalInterface
public interface HttpHandler {
    void handle(HttpRequest request, HttpExchange exchange);
}
