package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLSocket;

/**
 * Requests to a node, one after the other, by HTTP/1.1: one over a connection of its own, or
 * several over one that is kept.
 */
public final class NodeConnection implements AutoCloseable {

    private static final int MAX_HEAD_BYTES = 262_144;
    private static final int CONNECT_MILLIS = 3_000;
    private static final int STATUS_AT = "HTTP/1.1 ".length();

    private final Node node;
    private final Socket socket;
    private final boolean isKept;
    private final InputStream in;

    private NodeConnection(Node node, Socket socket, boolean isKept) throws IOException {
        this.node = node;
        this.socket = socket;
        this.isKept = isKept;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /**
     * Connects for one request. Nothing is sent yet.
     *
     * @param timeoutMillis of each read
     * @throws IOException if the node does not take the connection
     */
    public static NodeConnection open(Node node, int timeoutMillis) throws IOException {
        return open(node, timeoutMillis, false);
    }

    /** The same for several requests; each answer is read to its end before the next one. */
    static NodeConnection openKept(Node node, int timeoutMillis) throws IOException {
        return open(node, timeoutMillis, true);
    }

    private static NodeConnection open(Node node, int timeoutMillis, boolean isKept)
            throws IOException {
        Socket socket =
                node.access()
                        .connect(
                                node.host(),
                                node.port(),
                                node.isTls(),
                                CONNECT_MILLIS,
                                timeoutMillis);
        try {
            return new NodeConnection(node, socket, isKept);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Sends a request and reads the head of its answer.
     *
     * @param target the path, and what follows it, percent-encoded
     * @param headers lines, without their ends
     * @throws IOException if no answer comes; the node may have got the request
     */
    public Answer send(String method, String target, List<String> headers, byte[] body)
            throws IOException {
        StringBuilder head = new StringBuilder();
        head.append(method).append(' ').append(target).append(" HTTP/1.1\r\nHost: ");
        head.append(node.authority()).append(isKept ? "\r\n" : "\r\nConnection: close\r\n");
        node.access().headers().forEach(line -> head.append(line).append("\r\n"));
        headers.forEach(line -> head.append(line).append("\r\n"));
        if (body.length > 0 || method.equals("PUT")) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        head.append("\r\n");
        try {
            // One packet, where both fit into one; a long body is not copied.
            OutputStream out = new BufferedOutputStream(socket.getOutputStream());
            out.write(head.toString().getBytes(ISO_8859_1));
            out.write(body);
            out.flush();
        } catch (IOException e) {
            // The node may have refused it before it had all of it: that answer can be read.
            return receive(method);
        }
        return receive(method);
    }

    /**
     * When the node's certificate ends, in milliseconds since 1970; 0 without TLS.
     *
     * @throws IOException if it has none
     */
    public long certificateEndsMillis() throws IOException {
        if (socket instanceof SSLSocket tls
                && tls.getSession().getPeerCertificates()[0] instanceof X509Certificate own) {
            return own.getNotAfter().toInstant().toEpochMilli();
        }
        return 0;
    }

    private Answer receive(String method) throws IOException {
        String statusLine;
        Map<String, String> headers;
        do {
            int[] left = {MAX_HEAD_BYTES};
            statusLine = line(in, left);
            if (!statusLine.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")) {
                throw new IOException("it answers '" + statusLine + "'");
            }
            headers = headers(in, left);
        } while (statusLine.charAt(STATUS_AT) == '1');
        int status = Integer.parseInt(statusLine.substring(STATUS_AT, STATUS_AT + 3));
        boolean isEmpty = method.equals("HEAD") || status == 204 || status == 304;
        return new Answer(
                status,
                statusLine.substring(STATUS_AT),
                headers,
                isEmpty ? InputStream.nullInputStream() : body(in, headers));
    }

    private static Map<String, String> headers(InputStream in, int[] left) throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(in, left); !line.isEmpty(); line = line(in, left)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        return headers;
    }

    private static InputStream body(InputStream in, Map<String, String> headers)
            throws IOException {
        String length = headers.get("content-length");
        if (headers.containsKey("transfer-encoding")) {
            return new ChunkedBody(in);
        }
        if (length == null) {
            return in;
        }
        try {
            return new SizedBody(in, Long.parseLong(length));
        } catch (NumberFormatException e) {
            throw new IOException("it answers with the length '" + length + "'", e);
        }
    }

    /**
     * @param left bytes that may come yet
     */
    static String line(InputStream in, int[] left) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the answer breaks off");
            }
            if (--left[0] < 0) {
                throw new IOException("the head of its answer is too long");
            }
            line.append((char) next);
        }
        int end = line.length();
        return end > 0 && line.charAt(end - 1) == '\r'
                ? line.substring(0, end - 1)
                : line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
