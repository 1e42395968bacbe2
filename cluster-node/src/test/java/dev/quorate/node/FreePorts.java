package dev.quorate.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * Ports for nodes on the loopback address.
 *
 * <p>They are below those that the system gives to connections (from 32,768 on, on Linux), so that
 * none is taken between the choice and the start of a node, nor while a node is down.
 */
final class FreePorts {

    private static final int FIRST = 21_000;
    private static final int LAST = 29_000;

    private FreePorts() {}

    /** The first of several free ports in a row. */
    static int inARow(int count) throws IOException {
        int places = (LAST - FIRST) / count;
        int start = (int) (ProcessHandle.current().pid() % places);
        for (int i = 0; i < places; i++) {
            int port = FIRST + (start + i) % places * count;
            if (areFree(port, count)) {
                return port;
            }
        }
        throw new IOException("There are no free ports from " + FIRST + " to " + LAST + ".");
    }

    private static boolean areFree(int first, int count) {
        for (int port = first; port < first + count; port++) {
            try (ServerSocket socket = new ServerSocket()) {
                // As a node does: connections of an earlier listener in TIME_WAIT do not count.
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (IOException taken) {
                return false;
            }
        }
        return true;
    }
}
