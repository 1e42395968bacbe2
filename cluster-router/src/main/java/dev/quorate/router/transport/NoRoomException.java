package dev.quorate.router.transport;

import java.io.IOException;

/** This node has no memory for a large exchange; the peer has not failed. */
public final class NoRoomException extends IOException {

    public NoRoomException() {
        super("this node has no room for more large values");
    }
}
