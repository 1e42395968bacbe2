package dev.quorate.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server that answers as a test says, byte by byte, on a port of the loopback address. */
final class FakeNode implements AutoCloseable {

    /** A request as it came. */
    record Seen(String method, String target, String head, String body) {

        /** The value of a header; empty without it. */
        String header(String name) {
            for (String line : head.split("\r\n", -1)) {
                if (line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":")) {
                    return line.substring(name.length() + 1).strip();
                }
            }
            return "";
        }
    }

    /** What is done with a request: bytes are sent, and then the connection is closed. */
    @FunctionalInterface
    interface Script {
        void answer(Seen request, Connection connection) throws Exception;
    }

    /** To the client. */
    record Connection(Socket socket) {

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        }

        /** Returns when the client has closed the connection. */
        void awaitClose() throws IOException {
            socket.getInputStream().readAllBytes();
        }
    }

    static final String VERSION = "01a1ffa680e10000-36c6c909";

    private final ServerSocket listener;
    private volatile Script script;
    private final List<Seen> seen = new CopyOnWriteArrayList<>();

    FakeNode(Script script) {
        this.script = script;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("accept", this::accept);
    }

    /** A node that always gives the same answer. */
    static FakeNode of(String answer) {
        return new FakeNode((request, connection) -> connection.send(answer));
    }

    void become(Script newScript) {
        script = newScript;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    /** The requests for entities and ranges. */
    List<Seen> seen() {
        return seen.stream().filter(each -> !each.target().equals("/v0/ring")).toList();
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, "fake-node-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                start("connection", () -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            Seen request = read(socket.getInputStream());
            if (request != null) {
                seen.add(request);
                script.answer(request, new Connection(socket));
            }
        } catch (Exception e) {
            // The client has gone, or the node is closed.
        }
    }

    private static Seen read(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                return null;
            }
            head.write(next);
        }
        String text = head.toString(StandardCharsets.ISO_8859_1);
        String[] first = text.split(" ", 3);
        Seen request = new Seen(first[0], first[1], text, "");
        String length = request.header("Content-Length");
        int bytes = length.isEmpty() ? 0 : Integer.parseInt(length);
        String body = new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
        return new Seen(first[0], first[1], text, body);
    }

    // ---- answers

    static String answer(int status, String headers, String body) {
        return "HTTP/1.1 "
                + status
                + " x\r\nConnection: close\r\nContent-Length: "
                + body.length()
                + "\r\n"
                + headers
                + "\r\n"
                + body;
    }

    static String value(String value) {
        return answer(200, "X-Quorate-Version: " + VERSION + "\r\n", value);
    }

    static String written() {
        return answer(201, "X-Quorate-Version: " + VERSION + "\r\n", "");
    }

    static String problem(int status) {
        return problem(status, "");
    }

    static String problem(int status, String headers) {
        return answer(
                status,
                "Content-Type: application/problem+json\r\n" + headers,
                "{\"status\":" + status + ",\"detail\":\"so it is\"}");
    }

    static String versioned(int status, String version) {
        return problem(status, "X-Quorate-Version: " + version + "\r\n");
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
