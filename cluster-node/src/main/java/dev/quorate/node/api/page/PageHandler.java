package dev.quorate.node.api.page;

import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.http.HttpExchange;

/** Answers the requests for a page, or for an operator's action. */
@FunctionalInterface
public interface PageHandler {

    /**
     * Called on a selector thread: long work must run on another thread.
     *
     * @throws RequestRefusedException if a parameter is missing or invalid; then nothing was
     *     answered
     */
    void answer(PageRequest request, HttpExchange exchange) throws RequestRefusedException;
}
