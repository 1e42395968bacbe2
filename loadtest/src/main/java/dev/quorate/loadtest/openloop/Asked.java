package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.http.AnswerParser;

/** What a connection asks for. Overwritten by its next request. */
final class Asked {

    /** Index of the connection among all of the load. */
    final int connection;

    /** The number of the key; without meaning where a request has none. */
    int key;

    boolean isPut;

    /** The {@code ETag} of the last answer, for a conditional write. */
    final byte[] tag = new byte[AnswerParser.MAX_TAG_BYTES];

    /** Length of the tag; 0 if there is none. */
    int tagBytes;

    Asked(int connection) {
        this.connection = connection;
    }
}
