package dev.quorate.testkit.live;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A connection that is used for one request after the other. Unlike a library it repeats nothing:
 * what was not answered is an exception.
 */
final class KeptConnection implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 20_000;

    private final Socket socket = new Socket();
    private final InputStream in;
    private boolean isLast;
    private int answered;

    /**
     * @param node such as {@code http://127.0.0.1:8080}
     * @throws IOException if nobody listens there
     */
    KeptConnection(URI node) throws IOException {
        socket.connect(new InetSocketAddress(node.getHost(), node.getPort()), TIMEOUT_MILLIS);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    record Answer(int status, String body) {}

    /** Sends a request and reads its answer. */
    Answer send(String method, String target, String body) throws IOException {
        String request =
                "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(method, target, body.length(), body);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        int status = Integer.parseInt(line().split(" ", 3)[1]);
        int length = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            String header = line.toLowerCase(Locale.ROOT);
            if (header.startsWith("content-length: ")) {
                length = Integer.parseInt(header.substring("content-length: ".length()));
            }
            isLast |= header.equals("connection: close");
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the answer ends in the middle");
        }
        answered++;
        return new Answer(status, new String(bytes, StandardCharsets.US_ASCII));
    }

    /** Whether the node said that it sends no further answer. */
    boolean isLast() {
        return isLast;
    }

    /** How many requests were answered. */
    int answered() {
        return answered;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("no answer");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.US_ASCII).stripTrailing();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
