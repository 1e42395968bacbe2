package dev.quorate.node.api;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.Problem;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The pages for operators, served beside the client API. */
public interface AdminPages {

    /**
     * Answers a GET (or HEAD) of {@code /livez}, {@code /readyz}, {@code /metrics}, {@code /},
     * {@code /v0/ring}, {@code /admin/repair}, {@code /admin/loss} or {@code /admin/can-stop}.
     * Called on a selector thread: slow pages are answered from another.
     */
    void page(String path, HttpExchange exchange);

    /**
     * Whether requests may address this node by this name.
     *
     * @param host a Host header's value; null without one
     * @param isAdmin whether the request is for a page under {@code /admin}
     */
    default boolean isKnownAs(@Nullable String host, boolean isAdmin) {
        return true;
    }

    /**
     * Answers a POST of {@code /admin/repair}, likewise. Any client can send it, so it must be
     * harmless, however often it comes.
     */
    default void act(String path, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a POST of {@code /admin/loss}: a healing continues without what may be lost.
     *
     * @param name of the loss that was shown; nothing happens if another one waits
     */
    default void acceptLoss(String name, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /** Answers a GET of {@code /admin/checkpoint}: the checkpoints of this node. */
    default void checkpoints(HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a POST of {@code /admin/checkpoint} when the checkpoint is durable.
     *
     * @param name not checked yet
     */
    default void makeCheckpoint(String name, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a DELETE of {@code /admin/checkpoint}.
     *
     * @param name not checked yet
     */
    default void removeCheckpoint(String name, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /** Answers a GET of {@code /admin/log-level}: the levels of loggers. */
    default void logLevels(HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a PUT of {@code /admin/log-level}.
     *
     * @param logger not checked yet, like the level
     */
    default void changeLogLevel(String logger, String level, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a GET of {@code /admin/checkpoint/files}: the files of a checkpoint.
     *
     * @param name not checked yet
     */
    default void checkpointFiles(String name, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a GET of {@code /admin/checkpoint/file} with a file's bytes.
     *
     * @param name not checked yet, as the path
     * @param offset of the first byte
     */
    default void checkpointFile(String name, String path, long offset, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a GET of {@code /} of a browser, with the console; of {@code /admin/console}, with
     * what the console shows at first.
     */
    default void console(String path, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a GET of {@code /admin/console/stream}, with the state of the node once a second.
     *
     * @param since only events after this sequence number
     * @param isAllowed whether the client may still read it: asked before each delivery, and the
     *     stream ends when it may not
     */
    default void stream(long since, BooleanSupplier isAllowed, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a GET of {@code /admin/events}: the last events of this node, in words.
     *
     * @param since only those after this sequence number
     * @param isLines whether one JSON object a line; otherwise as one object
     */
    default void events(long since, boolean isLines, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }

    /**
     * Answers a GET of {@code /admin/why}: what all members have of a key. Called on a selector
     * thread.
     *
     * @param isForPeople whether as text; otherwise as JSON
     */
    default void why(byte[] key, boolean isForPeople, HttpExchange exchange) {
        exchange.respond(Problem.response(404, "There is no such page."));
    }
}
