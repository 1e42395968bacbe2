package dev.quorate.node.offenders;

import java.nio.channels.SocketChannel;

/** Breaks a rule on purpose. */
public interface OpensSockets {
    SocketChannel socket();
}
