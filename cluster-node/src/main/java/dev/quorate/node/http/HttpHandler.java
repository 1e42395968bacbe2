package dev.quorate.node.http;

import org.jspecify.annotations.Nullable;

/**
 * Answers requests. Called on a selector thread: it must not block. An exception is answered with
 * 500.
 */
@FunctionalInterface
public interface HttpHandler {
    void handle(HttpRequest request, HttpExchange exchange);

    /**
     * Asked when the head of a request that has a body is complete. What is answered so is not
     * handled, and its body is thrown away as it comes, so that a refusal costs neither memory nor
     * the connection.
     *
     * @return null to have the body read and the request handled
     */
    default @Nullable HttpResponse refusal(HttpHead head) {
        return null;
    }
}
