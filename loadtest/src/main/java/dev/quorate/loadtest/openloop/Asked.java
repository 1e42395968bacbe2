package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.http.AnswerReader;

/** The current request of a connection. The next request overwrites it. */
final class Asked {

    /** The index of the connection among all connections of the load. */
    final int connection;

    /** The number of the key; undefined for requests without a key. */
    int key;

    boolean isPut;

    /** The {@code ETag} of the last answer, for a conditional write. */
    final byte[] tag = new byte[AnswerReader.MAX_TAG_BYTES];

    /** The length of the tag; 0 if there is none. */
    int tagBytes;

    Asked(int connection) {
        this.connection = connection;
    }
}
