package dev.quorate.testkit.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.function.Predicate;

/**
 * An address before a node, which passes requests on, one a connection, and keeps some answers to
 * itself: the connection breaks instead. The faults of a cluster are not on the way to its clients.
 */
final class LossyDoor implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 5_000;

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final URI node;
    private final Predicate<String> isLost;

    /**
     * Before a node.
     *
     * @param isLost is asked about each request, by its head, when the node has answered it
     */
    LossyDoor(String node, Predicate<String> isLost) throws IOException {
        this.node = URI.create(node);
        this.isLost = isLost;
        Thread.ofPlatform().daemon().start(this::accept);
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort());
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Thread.ofVirtual().start(() -> pass(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void pass(Socket client) {
        try (client;
                Socket to = new Socket(node.getHost(), node.getPort())) {
            to.setSoTimeout(PATIENCE_MILLIS);
            String head = head(client.getInputStream());
            to.getOutputStream()
                    .write(
                            head.replaceFirst("\r\n", "\r\nConnection: close\r\n")
                                    .getBytes(ISO_8859_1));
            to.getOutputStream().write(client.getInputStream().readNBytes(length(head)));
            byte[] answer = to.getInputStream().readAllBytes();
            if (!isLost.test(head)) {
                client.getOutputStream().write(answer);
            }
        } catch (IOException e) {
            // The client is told by the end of its connection.
        }
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no request");
            }
            head.write(next);
        }
        // The JDK's client asks for HTTP/1.1 alone, and sends no header of the connection.
        return head.toString(ISO_8859_1);
    }

    private static int length(String head) {
        return head.lines()
                .filter(line -> line.regionMatches(true, 0, "Content-Length:", 0, 15))
                .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
                .findFirst()
                .orElse(0);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
