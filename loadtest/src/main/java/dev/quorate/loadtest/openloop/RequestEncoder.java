package dev.quorate.loadtest.openloop;

import java.nio.ByteBuffer;

/** Writes requests as a server understands them. */
interface RequestEncoder {

    /** The most bytes that a request can have. */
    int mostBytes();

    /** Appends the bytes of what is asked for to a buffer. */
    void encode(Asked asked, ByteBuffer to);
}
