package dev.quorate.node.http;

/**
 * One request's way back. Exactly one of {@link #respond}, {@link #stream} and {@link #upgrade} is
 * called, once, from any thread; a second call throws {@link IllegalStateException}. If the client
 * is gone, what is answered is dropped.
 *
 * <p>Neither waits for the client, and neither may be called with a lock held that a handler takes:
 * the next request of the same connection may be handled on the calling thread.
 */
public interface HttpExchange {

    /**
     * Set in the status of an answer that is a message: the connection ends with it, and what the
     * client sends behind it is not read.
     */
    int LAST_ANSWER = 0x8000;

    /** Sends a whole answer. */
    void respond(HttpResponse response);

    /**
     * Sends a whole answer from the thread that serves the connection. For a thread that answers
     * many requests at once: the way to the other thread costs more than a single answer gains.
     */
    default void respondFromSelector(HttpResponse response) {
        respond(response);
    }

    /**
     * Takes a place among the streamed answers, before anything is done for one. Returns false if
     * there is none: then {@link #respond} is to say so. Not to be called with a lock held. Without
     * it {@link #stream} takes one itself, and answers with a 503 if there is none.
     */
    default boolean takePlace() {
        return true;
    }

    /**
     * Starts a chunked answer, whose pieces are pulled as the socket takes them. To a client of
     * HTTP/1.0 the pieces are sent without framing, ended by the end of the connection.
     *
     * @param head status and headers; its body is not used
     */
    void stream(HttpResponse head, StreamSource source);

    /**
     * From now on this connection carries messages instead of requests, if that is what the client
     * asks for in a WebSocket's handshake (RFC 6455); otherwise it gets a 426 or 400. Each message
     * is handled as a POST to the same path with the message as its body, and {@link #respond}
     * sends its answer as a message: the status, 16 bits, and the body; headers are left out. Only
     * to be called before the handler returns.
     *
     * @param request the one that is answered
     */
    default void upgrade(HttpRequest request) {
        respond(Problem.response(426, "Messages are not taken here."));
    }

    /** Gives the pieces of a chunked answer. */
    interface StreamSource {

        /**
         * The socket can take more. Deliver to {@code sink}, now or later, from any thread, any
         * number of chunks and then exactly one of {@link StreamSink#more}, {@link StreamSink#end}
         * and {@link StreamSink#abort}. Not called again before that.
         */
        void pull(StreamSink sink);

        /** The client is gone, or the answer has ended: release everything. Called exactly once. */
        void close();
    }

    /** Takes the pieces of a chunked answer. What comes after the stream was closed is dropped. */
    interface StreamSink {

        /**
         * What is reserved for one delivery, with what says where its chunks begin and end. The
         * rest of {@link HttpBudgets#STREAM_BYTES} is for the head, and for the end.
         */
        int DELIVERY_BYTES = HttpBudgets.STREAM_BYTES - 1024;

        /** One chunk: these parts, one after the other. Given away: not changed later. */
        void chunk(byte[]... parts);

        /** That is all for now: pull again. */
        void more();

        /** The answer is complete. */
        void end();

        /** The answer cannot be completed: the connection is closed without the last chunk. */
        void abort();
    }
}
