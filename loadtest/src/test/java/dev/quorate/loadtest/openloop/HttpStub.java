package dev.quorate.loadtest.openloop;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quorate.loadtest.RawServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/** Answers each request with the bytes that it is told to, and nothing to nobody. */
final class HttpStub implements AutoCloseable {

    /** What is answered. */
    @FunctionalInterface
    interface Behaviour {
        /**
         * The bytes of an answer; null if the connection is to be closed instead.
         *
         * @param line the first of the request, and {@code If-Match} if it has one
         * @param body of the request
         */
        @Nullable String answer(String line, byte[] body) throws IOException;
    }

    private final RawServer server;
    private final Behaviour behaviour;

    HttpStub(Behaviour behaviour) throws IOException {
        this.behaviour = behaviour;
        this.server = new RawServer(this::serve);
    }

    static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    static String created() {
        return "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";
    }

    private void serve(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        InputStream in = new BufferedInputStream(socket.getInputStream());
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int length = 0;
            for (String header = line(in); !header.isEmpty(); header = line(in)) {
                if (header.startsWith("Content-Length: ")) {
                    length = Integer.parseInt(header.substring(16));
                }
                if (header.startsWith("If-Match: ")) {
                    line += " " + header;
                }
            }
            String answer = behaviour.answer(line, in.readNBytes(length));
            if (answer == null) {
                break;
            }
            socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
        }
        socket.close();
    }

    /** Empty at the end, too. */
    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.append((char) next);
        }
        return line.toString().strip();
    }

    InetSocketAddress address() {
        return server.address();
    }

    String url() {
        return "http://127.0.0.1:" + server.address().getPort();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
