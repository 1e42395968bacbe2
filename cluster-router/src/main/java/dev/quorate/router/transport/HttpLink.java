package dev.quorate.router.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quorate.router.message.Pass;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * A peer over {@code java.net.http}. In the small lanes each frame is a message over a WebSocket,
 * which costs a fraction of a request's futures, headers, and hop to the common pool (decision
 * 0017); in the others it is a POST, whose body is neither masked nor fragmented.
 *
 * <p>A WebSocket carries one exchange at a time, so that answers need no numbers; if none is idle,
 * another is opened. One is needed for each small lane, and one for a probe.
 *
 * <p>The client's executor runs tasks in place, on the client's selector thread: passing each step
 * to a pool costs more than everything else together. So tasks must not block.
 */
final class HttpLink implements PeerLink, PeerSocket.Pool {

    /**
     * Maximum idle time of a connection that is reused: the peer closes idle connections, and a
     * message sent at that moment would be lost. Much shorter than the peer's timeout.
     */
    private static final long TRUSTED_NANOS = 20_000_000_000L;

    private final PeerAddress address;
    private final HttpClient client;
    private final Duration connectTimeout;
    private final Ticker ticker;
    private final Runnable leaveClient;
    private final Set<Sent> posts = ConcurrentHashMap.newKeySet();
    private final Set<PeerSocket> open = ConcurrentHashMap.newKeySet();

    /** The most recently used comes first, so that superfluous ones expire. */
    private final ConcurrentLinkedDeque<PeerSocket> idle = new ConcurrentLinkedDeque<>();

    private volatile boolean closed;

    /**
     * @param address the address of the peer endpoint
     * @param leaveClient called when this link needs the client no more
     */
    HttpLink(
            PeerAddress address,
            HttpClient client,
            Duration connectTimeout,
            Ticker ticker,
            Runnable leaveClient) {
        this.address = address;
        this.client = client;
        this.connectTimeout = connectTimeout;
        this.ticker = ticker;
        this.leaveClient = leaveClient;
    }

    @Override
    public Sent send(Message message, Receiver receiver) {
        URI uri = address.uri();
        if (uri == null) {
            receiver.failed(new IOException(address.problem()));
            return () -> {};
        }
        if (message.lane().takesLarge()) {
            return post(uri, message, receiver);
        }
        PeerSocket idling = pollIdle();
        PeerSocket socket = idling != null ? idling : new PeerSocket(this);
        socket.carry(receiver, message.maxReplyBytes());
        if (idling != null) {
            socket.send(message.frame().getFirst());
        } else {
            open(socket, uri, message, receiver);
        }
        return () -> socket.cancel(receiver);
    }

    // ---- Large lanes.

    /**
     * The client's future runs dependent stages in the common pool, whatever executor the client
     * has. So an answer is processed on the client's selector thread when its body is complete, and
     * the future serves only failures and cancellation.
     */
    private Sent post(URI uri, Message message, Receiver receiver) {
        FrameBody body = new FrameBody(message.frame());
        HttpRequest request =
                HttpRequest.newBuilder(uri)
                        .header(Pass.HEADER, Pass.text(message.pass().get()))
                        .POST(body.publisher())
                        .build();
        CompletableFuture<HttpResponse<@Nullable Void>> sent =
                client.sendAsync(
                        request,
                        ReplyBody.handler(
                                message.maxReplyBytes(),
                                receiver::reserve,
                                reply -> {
                                    body.forget();
                                    receiver.received(reply);
                                }));
        Sent post = () -> sent.cancel(true);
        posts.add(post);
        var _ =
                sent.whenComplete(
                        (response, failure) -> {
                            posts.remove(post);
                            if (failure != null) {
                                body.forget();
                                receiver.failed(failure);
                            }
                        });
        if (closed) {
            post.cancel();
        }
        return post;
    }

    // ---- Small lanes.

    private @Nullable PeerSocket pollIdle() {
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
        URI uri = URI.create("ws" + door.toString().substring("http".length()));
        var _ =
                client.newWebSocketBuilder()
                        .connectTimeout(connectTimeout)
                        .header(Pass.HEADER, Pass.text(message.pass().get()))
                        .buildAsync(uri, socket)
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

    @Override
    public void seek(Runnable found) {
        address.resolve(found);
    }

    @Override
    public void close() {
        closed = true;
        open.forEach(PeerSocket::abort);
        posts.forEach(Sent::cancel);
        leaveClient.run();
    }
}
