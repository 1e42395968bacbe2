package dev.quorate.node.http;

import dev.quorate.node.http.budget.HttpBudgets;
import dev.quorate.node.http.budget.StreamPlaces;
import dev.quorate.router.runtime.HeldRoom;
import java.util.function.UnaryOperator;

/**
 * Answers one request. Exactly one of {@link #respond}, {@link #stream} and {@link #upgrade} is
 * called, once, from any thread; a second call throws {@link IllegalStateException}. If the client
 * is gone, the answer is dropped.
 *
 * <p>No call blocks. The caller must not hold a lock that a handler takes: the next request of the
 * connection may be handled on the calling thread.
 */
public interface HttpExchange {

    /** Sends a whole answer. */
    void respond(HttpResponse response);

    /**
     * The same for an answer whose body is already reserved. The reservation is released when the
     * body is sent or dropped.
     */
    default void respond(HttpResponse response, HeldRoom room) {
        room.release();
        respond(response);
    }

    /**
     * Retains the reservation of the request's body beyond the answer, for code that still uses it.
     * Must be called before the answer.
     *
     * @return a task that releases the reservation; to be run once, from any thread
     */
    default Runnable retainBody() {
        return () -> {};
    }

    /**
     * Registers a task for an answer that may take long: runs once if the connection ends before
     * the answer, which is noticed within a second, on any thread.
     */
    default void whenGone(Runnable task) {}

    /** The client's address, to which its connections count; empty if it is unknown. */
    default String address() {
        return "";
    }

    /**
     * Sends a whole answer from the thread that serves the connection. Suits a thread that answers
     * many requests at once; for a single answer the hand-over costs more than it gains.
     */
    default void respondFromSelector(HttpResponse response) {
        respond(response);
    }

    /**
     * Takes a place among the streamed answers, before any work for one. False if none is free:
     * then {@link #respond} with a refusal. Must not be called with a lock held. Without this call
     * {@link #stream} takes a place itself, and answers 503 if none is free.
     */
    default boolean acquirePlace() {
        return true;
    }

    /**
     * Like {@link #acquirePlace}, for places whose number is limited for each client address.
     *
     * @param most the maximum number of places for one address
     */
    default StreamPlaces.Place acquirePlaceForAddress(int most) {
        return acquirePlace() ? StreamPlaces.Place.TAKEN : StreamPlaces.Place.NONE;
    }

    /**
     * Registers a function that may change or observe the answer before it is sent, or the head of
     * a streamed answer. The handler calls this before it answers. The function that is registered
     * last is applied first.
     */
    default void beforeAnswer(UnaryOperator<HttpResponse> change) {
        throw new UnsupportedOperationException("answers of this exchange cannot be changed");
    }

    /**
     * Starts a chunked answer, whose pieces are pulled as the socket takes them. To a client of
     * HTTP/1.0 the pieces are sent without framing, ended by the end of the connection.
     *
     * @param head status and headers; its body is not used
     */
    void stream(HttpResponse head, StreamSource source);

    /**
     * Upgrades the connection to a WebSocket (RFC 6455), if the client asks for it; otherwise
     * answers 426 or 400. Each message is handled as a POST to the same path with the message as
     * its body, and {@link #respond} sends its answer as a message: the status, 16 bits, and the
     * body; headers are omitted. Must be called before the handler returns.
     *
     * @param request the request that is answered
     */
    default void upgrade(HttpRequest request) {
        respond(Problem.response(426, "Messages are not taken here."));
    }

    /** Supplies the pieces of a chunked answer. */
    interface StreamSource {

        /**
         * The socket can take more. Deliver to {@code sink}, now or later, from any thread, any
         * number of chunks and then exactly one of {@link StreamSink#more}, {@link StreamSink#end}
         * and {@link StreamSink#abort}. Not called again before that.
         */
        void pull(StreamSink sink);

        /** The answer cannot be completed, because of the node. Called before {@link #close}. */
        default void cutOff(String why) {}

        /**
         * Releases everything: the client is gone, or the answer has ended. Called exactly once.
         */
        void close();
    }

    /** Receives the pieces of a chunked answer. After the stream was closed they are dropped. */
    interface StreamSink {

        /**
         * Maximum number of bytes of one delivery, including the chunks' framing. The rest of
         * {@link HttpBudgets#STREAM_BYTES} is for the head and the end.
         */
        int DELIVERY_BYTES = HttpBudgets.STREAM_BYTES - 1024;

        /** Delivers one chunk: these parts in order. The caller must not change them later. */
        void chunk(byte[]... parts);

        /** Ends the delivery: pull again for more. */
        void more();

        void end();

        /** Ends an incomplete answer: the connection is closed without the last chunk. */
        void abort();
    }
}
