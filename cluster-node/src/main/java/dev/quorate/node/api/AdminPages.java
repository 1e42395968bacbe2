package dev.quorate.node.api;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.Problem;
import org.jspecify.annotations.Nullable;

/** What an operator looks at, served beside the client API. */
public interface AdminPages {

    /**
     * Answers a GET (or HEAD) of {@code /livez}, {@code /readyz}, {@code /metrics}, {@code /},
     * {@code /admin/repair} or {@code /admin/loss}. Called on a selector thread: what takes long is
     * answered from another.
     */
    void page(String path, HttpExchange exchange);

    /** Why no write through this node would be taken, in a sentence; null if it would. */
    default @Nullable String whyNotServing() {
        return null;
    }

    /**
     * Whether a request may be for this node that names it so, as far as operators and browsers are
     * concerned.
     *
     * @param host a Host header's value; null without one
     */
    default boolean isKnownAs(@Nullable String host) {
        return true;
    }

    /**
     * Answers a POST of {@code /admin/repair}, likewise. Whoever reaches the clients' port can send
     * it, so it does nothing that harms, however often it comes.
     */
    default void act(String path, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a POST of {@code /admin/loss}: a healing goes on without what may be lost. Likewise.
     *
     * @param name of the loss that was shown; nothing happens if it is not what waits now
     */
    default void acceptLoss(String name, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a GET of {@code /admin/why}: what the whole cluster holds of a key. Called on a
     * selector thread, likewise.
     *
     * @param isForPeople whether as a text, or else as JSON
     */
    default void why(byte[] key, boolean isForPeople, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }
}
