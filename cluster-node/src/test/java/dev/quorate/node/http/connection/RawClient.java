package dev.quorate.node.http.connection;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A client that sends exactly the bytes it is told to, and reads answers strictly. */
public final class RawClient implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;

    public RawClient(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** One that has another address than the others: Linux has many of its own. */
    public static RawClient from(String address, int port) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        return new RawClient(new Socket(loopback, port, InetAddress.getByName(address), 0));
    }

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** One answer; its body without framing. */
    @SuppressWarnings("ArrayRecordComponent")
    public record Answer(int status, Map<String, String> headers, byte[] body, int chunks) {

        public String text() {
            return new String(body, StandardCharsets.ISO_8859_1);
        }

        public String header(String name) {
            return headers.get(name);
        }
    }

    public RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** As {@link #send}, but to a server that may close meanwhile. */
    public RawClient sendWhatItTakes(byte[] bytes) {
        try {
            send(bytes);
        } catch (IOException e) {
            // What the server answered before it closed is still to be read.
        }
        return this;
    }

    /** Says that nothing more will be sent. */
    public RawClient finish() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    /** Whether bytes of an answer are here already. */
    public boolean hasAnswer() throws IOException {
        return in.available() > 0;
    }

    /** Leaves with a reset, as a process that is killed does. */
    public void breakOff() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    public Answer read() throws IOException {
        return read(false);
    }

    /** Reads one answer; to a HEAD, whose answer has no body whatever its headers say. */
    public Answer read(boolean isHead) throws IOException {
        String[] statusLine = line().split(" ", 3);
        if (!statusLine[0].equals("HTTP/1.1")) {
            throw new IOException("not an answer: " + String.join(" ", statusLine));
        }
        int status = Integer.parseInt(statusLine[1]);
        Map<String, String> headers = new LinkedHashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(": ");
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            boolean isList =
                    name.equals("x-quorate-explain")
                            || name.equals("x-quorate-replica")
                            || name.equals("www-authenticate");
            String value = line.substring(colon + 2);
            if (isList) {
                headers.merge(name, value, (first, next) -> first + "\n" + next);
            } else if (headers.put(name, value) != null) {
                throw new IOException("header twice: " + line);
            }
        }
        if (isHead || status < 200 || status == 204 || status == 304) {
            return new Answer(status, headers, new byte[0], 0);
        }
        if ("chunked".equals(headers.get("transfer-encoding"))) {
            return chunked(status, headers);
        }
        String length = headers.get("content-length");
        byte[] body = length == null ? in.readAllBytes() : exactly(Integer.parseInt(length));
        return new Answer(status, headers, body, 0);
    }

    private Answer chunked(int status, Map<String, String> headers) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int chunks = 0;
        while (true) {
            int size = Integer.parseInt(line(), 16);
            body.writeBytes(exactly(size));
            if (!line().isEmpty()) {
                throw new IOException("chunk without end");
            }
            if (size == 0) {
                return new Answer(status, headers, body.toByteArray(), chunks);
            }
            chunks++;
        }
    }

    /** What comes next, at most so much; empty at the end. */
    public byte[] upTo(int count) throws IOException {
        return in.readNBytes(count);
    }

    /** Waits until something comes, and reads at most so much of it. */
    public void some(int count) throws IOException {
        int ignored = in.read(new byte[count]);
    }

    public byte[] exactly(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("after " + bytes.length + " of " + count + " bytes");
        }
        return bytes;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException("in a line: " + line);
            }
            if (b == '\r') {
                if (in.read() != '\n') {
                    throw new IOException("carriage return without line feed");
                }
                return line.toString();
            }
            line.append((char) b);
        }
    }

    /** Whether the server has ended its half in order, having sent nothing more. */
    public boolean isAtEnd() throws IOException {
        return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
