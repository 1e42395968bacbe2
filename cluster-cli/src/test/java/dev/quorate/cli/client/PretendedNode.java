package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A node whose answers a test decides. */
final class PretendedNode implements AutoCloseable {

    /**
     * A request.
     *
     * @param headers by their names in small letters
     */
    record Request(String method, String target, Map<String, String> headers, String body) {}

    /** What a node does with a request. */
    @FunctionalInterface
    interface Behaviour {
        /** All bytes of the answer; null if the connection is closed instead. */
        @Nullable String answer(Request request);
    }

    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final Behaviour behaviour;

    /** The answer to the question for the ring. */
    volatile String ring = answer("404 Not Found", "");

    /** What else it was asked. */
    final List<Request> asked = Collections.synchronizedList(new ArrayList<>());

    PretendedNode(Behaviour behaviour) throws IOException {
        this.behaviour = behaviour;
        Thread.ofPlatform().daemon().start(this::serve);
    }

    static String answer(String status, String body, String... headers) {
        StringBuilder text = new StringBuilder("HTTP/1.1 " + status + "\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        if (status.compareTo("4") >= 0) {
            text.append("Content-Type: application/problem+json\r\n");
        }
        return text + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Thread.ofPlatform().daemon().start(() -> serve(socket));
            } catch (IOException e) {
                // It is closed.
            }
        }
    }

    /** One request. */
    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            String[] words = line(in).split(" ", -1);
            Map<String, String> headers = new HashMap<>();
            for (String line = line(in); !line.isEmpty(); line = line(in)) {
                int colon = line.indexOf(':');
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
            int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
            String body = new String(in.readNBytes(length), ISO_8859_1);
            Request request = new Request(words[0], words[1], headers, body);
            boolean isForRing =
                    request.target().equals("/v0/ring") || request.target().equals("/v0/join");
            if (!isForRing) {
                asked.add(request);
            }
            String answer = isForRing ? ring : behaviour.answer(request);
            if (answer != null) {
                String closing = answer.replaceFirst("\r\n", "\r\nConnection: close\r\n");
                socket.getOutputStream().write(closing.getBytes(ISO_8859_1));
            }
        } catch (IOException e) {
            // The client has gone.
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the client has gone");
            }
            line.append((char) next);
        }
        return line.toString().strip();
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }

    /** From now on nobody listens there. */
    @Override
    public void close() throws IOException {
        server.close();
    }
}
