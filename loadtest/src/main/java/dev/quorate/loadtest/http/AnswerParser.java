package dev.quorate.loadtest.http;

import java.net.ProtocolException;
import java.nio.ByteBuffer;

/** Reads one answer after the other off a connection, in whatever pieces they come. */
public interface AnswerParser {

    /**
     * Takes bytes up to the end of an answer at most; whether that was reached.
     *
     * @param body sees the answer's body
     * @throws ProtocolException if they are no answer
     */
    boolean feed(ByteBuffer in, BodyReader body) throws ProtocolException;

    /** Maximum length of an {@code ETag} that is copied. */
    int MAX_TAG_BYTES = 64;

    /** Of the last answer, as HTTP numbers them. */
    int status();

    /**
     * Copies the {@code ETag} of the last answer.
     *
     * @param to at least {@link #MAX_TAG_BYTES} long
     * @return its length; 0 if the answer has none, or a longer one
     */
    default int copyTag(byte[] to) {
        return 0;
    }

    /** Whether the last answer ends the connection. */
    default boolean closes() {
        return false;
    }

    /** Whether the answer is complete if the connection ends here. */
    default boolean endsWithConnection() {
        return false;
    }

    /** Sees the bodies of answers, piece by piece. */
    @FunctionalInterface
    interface BodyReader {

        /**
         * Takes the next piece; whose the answer is, and its status, are known.
         *
         * @param bytes in which the piece is; not to be changed
         * @param from the index of its first byte
         * @param count how many there are
         */
        void take(ByteBuffer bytes, int from, int count);
    }
}
