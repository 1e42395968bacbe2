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
     * Called with the complete head of a request that has a body. A refused request is not handled,
     * and its body is discarded as it arrives, so that a refusal costs neither memory nor the
     * connection.
     *
     * @return null to read the body and handle the request
     */
    default @Nullable HttpResponse refusal(HttpHead head) {
        return null;
    }
}
