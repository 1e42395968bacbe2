package dev.quorate.loadtest.conditional;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.URI;
import java.util.Locale;

/**
 * A connection to a server, for one request at a time. It blocks, and reads of an answer what a
 * conditional write needs: the load generators of {@code loadtest.http} do not read tags.
 */
final class HttpConnection implements AutoCloseable {

    /**
     * An answer.
     *
     * @param tag its {@code ETag} with the quotation marks, or empty
     * @param version its {@code X-Quorate-Version}, or empty
     */
    record Answer(int status, String tag, String version, String body) {}

    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int STATUS_AT = 9;
    private static final int STATUS_END = 12;

    private final Socket socket;
    private final InputStream in;

    HttpConnection(URI server) throws IOException {
        socket = new Socket(server.getHost(), server.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /**
     * Sends a request and reads its answer.
     *
     * @param target path and query
     * @param headers lines, each with its end
     * @throws IOException if the answer does not come, or has no length
     */
    Answer send(String method, String target, String headers, String body) throws IOException {
        String request =
                method
                        + " "
                        + target
                        + " HTTP/1.1\r\nHost: localhost\r\n"
                        + headers
                        + "Content-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body;
        socket.getOutputStream().write(request.getBytes(ISO_8859_1));
        return read();
    }

    private Answer read() throws IOException {
        String first = line();
        String tag = "";
        String version = "";
        int length = -1;
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            String value = line.substring(colon + 1).strip();
            switch (line.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT)) {
                case "etag" -> tag = value;
                case "x-quorate-version" -> version = value;
                case "content-length" -> length = Integer.parseInt(value);
                default -> {}
            }
        }
        if (length < 0 || first.length() < STATUS_END) {
            throw new ProtocolException("an answer without a status or a length: " + first);
        }
        int status = Integer.parseInt(first.substring(STATUS_AT, STATUS_END));
        return new Answer(status, tag, version, new String(in.readNBytes(length), ISO_8859_1));
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the server has closed the connection");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
