package dev.quorate.cli.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Probes ports of this machine. */
final class ReadinessProbe {

    private static final int TIMEOUT_MILLIS = 1_000;
    private static final String OK = "HTTP/1.1 200";

    private ReadinessProbe() {}

    /** Whether {@code /readyz} of the node on a port returns 200. */
    static boolean isReady(int port) {
        return isOk(port, "/readyz");
    }

    /** Whether {@code /livez} of the node on a port returns 200. */
    static boolean isAlive(int port) {
        return isOk(port, "/livez");
    }

    private static boolean isOk(int port, String path) {
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream()
                    .write(
                            ("GET "
                                            + path
                                            + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
            byte[] status = socket.getInputStream().readNBytes(OK.length());
            return OK.equals(new String(status, StandardCharsets.US_ASCII));
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Whether a node could listen on a port. */
    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // As a node does: connections of an earlier listener in TIME_WAIT do not count.
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
