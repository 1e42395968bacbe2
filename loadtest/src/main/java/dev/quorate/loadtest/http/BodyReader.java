package dev.quorate.loadtest.http;

import java.nio.ByteBuffer;

/** Sees the bodies of answers, piece by piece. */
@FunctionalInterface
public interface BodyReader {

    /**
     * Takes the next piece; whose the answer is, and its status, are known.
     *
     * @param bytes in which the piece is; not to be changed
     * @param from the index of its first byte
     * @param count how many there are
     */
    void take(ByteBuffer bytes, int from, int count);
}
