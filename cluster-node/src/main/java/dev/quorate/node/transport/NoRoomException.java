package dev.quorate.node.transport;

import java.io.IOException;

/** This node has no memory left for a large exchange: nothing is wrong with the peer. */
public final class NoRoomException extends IOException {

    private static final long serialVersionUID = 1;

    public NoRoomException() {
        super("this node has no room for more large values");
    }
}
