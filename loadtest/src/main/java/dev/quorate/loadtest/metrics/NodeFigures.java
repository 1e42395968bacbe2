package dev.quorate.loadtest.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.OptionalDouble;

/** The figures of a node at {@code /metrics}. */
public final class NodeFigures {

    private static final int PATIENCE_MILLIS = 10_000;
    private static final double BYTES_PER_MIB = 1 << 20;

    private final String text;

    private NodeFigures(String text) {
        this.text = text;
    }

    /** Asks, over a connection of its own. */
    public static NodeFigures of(InetSocketAddress node) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(node, PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            String request = "GET /metrics HTTP/1.0\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(UTF_8));
            return new NodeFigures(new String(socket.getInputStream().readAllBytes(), UTF_8));
        }
    }

    /** The value of the first line that begins so; nothing if there is none. */
    public OptionalDouble value(String start) {
        return text.lines()
                .filter(line -> line.startsWith(start))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst();
    }

    /** What is in the heap, garbage included. */
    public double heapMebibytes() {
        return value("jvm_memory_used_bytes{area=\"heap\"}").orElse(0) / BYTES_PER_MIB;
    }
}
