package dev.quorate.client;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is called for each operation of a client, for logs, metrics and traces. It must be thread-safe
 * and must not block.
 */
@FunctionalInterface
public interface OperationListener {

    /**
     * An operation begins. Called on the thread of the caller, who gets an exception of this method
     * in place of a result.
     *
     * @param name {@code get}, {@code put}, {@code putIf} and so on, as the methods of {@link
     *     AsyncQuorateClient}
     * @param key null for an operation on several keys
     */
    Observer begin(String name, @Nullable Key key);

    /**
     * Observes one operation. Called on threads of the client; an exception of these methods goes
     * to the handler of uncaught exceptions, and does not affect the operation.
     */
    interface Observer {

        /**
         * The <a href="https://www.w3.org/TR/trace-context/">traceparent</a> of the requests, in
         * version 00. By default, and if it is malformed, each operation has a trace of its own.
         */
        default @Nullable String traceparent() {
            return null;
        }

        /** One request has an answer, or has failed. */
        default void attempted(Attempt attempt) {}

        /**
         * The operation has ended. Its caller may already have the result.
         *
         * @param failure null for a result; a {@link java.util.concurrent.CancellationException} if
         *     the caller has cancelled it
         */
        default void ended(@Nullable Throwable failure) {}
    }

    /**
     * A request to one node.
     *
     * @param node the URL of the node
     * @param number counts the requests of the operation from 1
     * @param status the HTTP status; 0 without an answer
     * @param time from the request to the complete answer
     * @param problem why the request failed; null for a status below 400
     */
    record Attempt(URI node, int number, int status, Duration time, @Nullable String problem) {}
}
