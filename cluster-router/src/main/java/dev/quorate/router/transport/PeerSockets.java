package dev.quorate.router.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quorate.router.message.Pass;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.transport.PeerLink.Message;
import dev.quorate.router.transport.PeerLink.Receiver;
import dev.quorate.router.transport.PeerLink.Reply;
import dev.quorate.router.transport.PeerLink.Sent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * The small exchanges with one peer, each a message and an answer over a WebSocket. A connection
 * carries one exchange at a time, so that answers need no numbers; if no connection is idle,
 * another is opened. One is needed for each small lane, and one for a probe.
 *
 * <p>An HTTP request costs several times as much as a message, because of futures, headers, and a
 * hop to the common pool (decision 0017).
 */
final class PeerSockets implements PeerSocket.Pool, AutoCloseable {

    /**
     * Maximum idle time of a connection that is reused: the peer closes idle connections, and a
     * message sent at that moment would be lost. Much shorter than the peer's timeout.
     */
    private static final long TRUSTED_NANOS = 20_000_000_000L;

    private final HttpClient client;
    private final Duration connectTimeout;
    private final Ticker ticker;
    private final Set<PeerSocket> open = ConcurrentHashMap.newKeySet();

    /** The most recently used comes first, so that superfluous ones expire. */
    private final ConcurrentLinkedDeque<PeerSocket> idle = new ConcurrentLinkedDeque<>();

    private volatile boolean closed;

    PeerSockets(HttpClient client, Duration connectTimeout, Ticker ticker) {
        this.client = client;
        this.connectTimeout = connectTimeout;
        this.ticker = ticker;
    }

    /** See {@link PeerLink#send}, for a frame in one part. */
    Sent send(URI door, Message message, Receiver receiver) {
        PeerSocket idling = takeIdle();
        PeerSocket socket = idling != null ? idling : new PeerSocket(this);
        socket.carry(receiver, message.maxReplyBytes());
        if (idling != null) {
            socket.send(message.frame().getFirst());
        } else {
            open(socket, door, message, receiver);
        }
        return () -> socket.cancel(receiver);
    }

    private @Nullable PeerSocket takeIdle() {
        PeerSocket socket = idle.pollFirst();
        if (socket == null || ticker.nanos() - socket.idleSinceNanos() <= TRUSTED_NANOS) {
            return socket;
        }
        // The other connections have been idle for even longer.
        while (socket != null) {
            socket.abort();
            socket = idle.pollFirst();
        }
        return null;
    }

    private void open(PeerSocket socket, URI door, Message message, Receiver receiver) {
        open.add(socket);
        if (closed) {
            socket.abort();
            return;
        }
        URI address = URI.create("ws" + door.toString().substring("http".length()));
        var _ =
                client.newWebSocketBuilder()
                        .connectTimeout(connectTimeout)
                        .header(Pass.HEADER, Pass.text(message.pass().get()))
                        .buildAsync(address, socket)
                        .whenComplete(
                                (connection, failure) -> {
                                    if (failure == null) {
                                        socket.opened(connection);
                                        socket.send(message.frame().getFirst());
                                    } else {
                                        open.remove(socket);
                                        notOpened(receiver, failure);
                                    }
                                });
    }

    /**
     * Reads the answer of an endpoint that refused the WebSocket. The client decodes the body as
     * text, with a charset that preserves its bytes.
     */
    private static void notOpened(Receiver receiver, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
        if (cause instanceof WebSocketHandshakeException refused) {
            Object body = refused.getResponse().body();
            byte[] bytes = body instanceof String text ? text.getBytes(ISO_8859_1) : new byte[0];
            receiver.received(new Reply(refused.getResponse().statusCode(), bytes));
        } else {
            receiver.failed(cause);
        }
    }

    @Override
    public void release(PeerSocket socket) {
        socket.idleSince(ticker.nanos());
        idle.addFirst(socket);
        if (closed) {
            socket.abort();
        }
    }

    @Override
    public void lost(PeerSocket socket) {
        open.remove(socket);
        idle.remove(socket);
    }

    /** Fails the exchanges in progress. */
    @Override
    public void close() {
        closed = true;
        open.forEach(PeerSocket::abort);
    }
}
