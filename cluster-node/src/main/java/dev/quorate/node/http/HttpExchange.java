package dev.quorate.node.http;

/**
 * One request's way back. Exactly one of {@link #respond} and {@link #stream} is called, once, from
 * any thread.
 */
public interface HttpExchange {

    /** Sends a whole answer. */
    void respond(HttpResponse response);

    /**
     * Starts a chunked answer, whose pieces are pulled as the socket takes them.
     *
     * @param head status and headers; its body is not used
     */
    void stream(HttpResponse head, StreamSource source);

    /** Gives the pieces of a chunked answer. */
    interface StreamSource {

        /**
         * The socket can take more: deliver the next piece to {@code sink}, now or later, from any
         * thread, with exactly one call. Not called again before that, nor after the end.
         */
        void pull(StreamSink sink);

        /** The client is gone, or the answer has ended: release everything. Called exactly once. */
        void close();
    }

    /** Takes the pieces of a chunked answer. */
    interface StreamSink {

        /** One chunk; may hold several entries, ready framed as the format wants it. */
        void chunk(byte[] bytes);

        /** The answer is complete. */
        void end();

        /** The answer cannot be completed: the connection is closed without the last chunk. */
        void abort();
    }
}
