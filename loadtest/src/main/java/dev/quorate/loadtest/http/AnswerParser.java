package dev.quorate.loadtest.http;

import java.net.ProtocolException;
import java.nio.ByteBuffer;

/** Parses the answers on a connection, which arrive in pieces of any size. */
public interface AnswerParser {

    /**
     * Consumes bytes up to the end of an answer. Returns whether the end was reached.
     *
     * @throws ProtocolException if the bytes are not a valid answer
     */
    boolean feed(ByteBuffer in, BodyReader body) throws ProtocolException;

    /** Maximum length of an {@code ETag} that is copied. */
    int MAX_TAG_BYTES = 64;

    int status();

    /**
     * Copies the {@code ETag} of the last answer.
     *
     * @param to at least {@link #MAX_TAG_BYTES} long
     * @return the length of the tag; 0 if the answer has none, or a longer one
     */
    default int copyTag(byte[] to) {
        return 0;
    }

    /** Whether the server closes the connection after the last answer. */
    default boolean closes() {
        return false;
    }

    default boolean endsWithConnection() {
        return false;
    }

    /** Receives the bodies of answers in pieces. */
    @FunctionalInterface
    interface BodyReader {

        /** Receives {@code count} bytes at index {@code from}. It must not change the buffer. */
        void take(ByteBuffer bytes, int from, int count);
    }
}
