package dev.quorate.cli.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests that may be sent again, over one connection for as long as they are for the same
 * node. For one thread at a time.
 */
final class KeptConnection implements AutoCloseable {

    private final int timeoutMillis;
    private @Nullable Node node;
    private @Nullable NodeConnection connection;

    /**
     * @param timeoutMillis without a byte of an answer
     */
    KeptConnection(int timeoutMillis) {
        this.timeoutMillis = timeoutMillis;
    }

    /** Reads an answer to its end. */
    @FunctionalInterface
    interface Reading<T> {
        T read(Answer answer) throws IOException;
    }

    /**
     * Sends a request, and reads its answer. A connection that the node has closed meanwhile is
     * replaced by another one, once.
     *
     * @throws IOException if no answer comes; the node may have got the request
     */
    <T> T exchange(
            Node to,
            String method,
            String target,
            List<String> headers,
            byte[] body,
            Reading<T> reading)
            throws IOException {
        boolean isReused = connection != null && to.equals(node);
        boolean isDone = false;
        try {
            Answer answer;
            try {
                answer = to(to).send(method, target, headers, body);
            } catch (IOException e) {
                if (!isReused) {
                    throw e;
                }
                close();
                answer = to(to).send(method, target, headers, body);
            }
            T result = reading.read(answer);
            isDone = isReusable(answer);
            return result;
        } finally {
            if (!isDone) {
                close();
            }
        }
    }

    private NodeConnection to(Node to) throws IOException {
        if (connection == null || !to.equals(node)) {
            close();
            connection = NodeConnection.openKept(to, timeoutMillis);
            node = to;
        }
        return connection;
    }

    /** An answer without a length ends with its connection. */
    private static boolean isReusable(Answer answer) throws IOException {
        InputStream body = answer.body();
        boolean isFramed =
                answer.headers().containsKey("content-length")
                        || answer.headers().containsKey("transfer-encoding");
        return isFramed
                && !"close".equalsIgnoreCase(answer.headers().get("connection"))
                && body.read() < 0;
    }

    @Override
    public void close() {
        NodeConnection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // It is not used again.
            }
        }
    }
}
