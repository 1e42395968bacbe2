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

    /** Of the last answer, as HTTP numbers them. */
    int status();

    /** Whether the last answer says when to try again. */
    default boolean hasRetryAfter() {
        return false;
    }

    /** Whether the last answer ends the connection. */
    default boolean closes() {
        return false;
    }

    /** Whether the answer is complete if the connection ends here. */
    default boolean endsWithConnection() {
        return false;
    }
}
