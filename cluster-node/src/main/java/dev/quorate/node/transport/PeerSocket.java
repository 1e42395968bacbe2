package dev.quorate.node.transport;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.transport.PeerLink.Reply;
import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a peer's door, and its current exchange. An exchange ends when its answer has
 * arrived <i>and</i> the client has reported that the message was sent: the answer may be faster,
 * and until then the client refuses another message.
 *
 * <p>The client calls on its selector thread or, if a message was sent at once, on the sender's.
 * The lock guards the fields below it; nothing is called with it held.
 */
final class PeerSocket implements WebSocket.Listener {

    /** Reuses connections. */
    interface Pool {

        /** Returns a socket whose exchange has ended. */
        void release(PeerSocket socket);

        /** Removes a socket that is closed, or about to be. */
        void lost(PeerSocket socket);
    }

    private static final int STATUS_BYTES = Short.BYTES;
    private static final byte[] NOTHING = {};

    private final Pool pool;
    private final Runnable abort = this::abort;

    private @Nullable WebSocket connection;
    private @Nullable SocketExchange carried;
    private boolean isSent;
    private boolean isAnswered;
    private boolean aborted;
    private byte[] answer = NOTHING;
    private int answerBytes;
    private int reservedBytes;
    private long idleSinceNanos;

    PeerSocket(Pool pool) {
        this.pool = pool;
    }

    synchronized void opened(WebSocket opened) {
        connection = opened;
    }

    synchronized void idleSince(long nanos) {
        idleSinceNanos = nanos;
    }

    synchronized long idleSinceNanos() {
        return idleSinceNanos;
    }

    /** Sends an exchange's frame. There must be no other exchange. */
    void carry(SocketExchange exchange) {
        WebSocket to = begin(exchange);
        if (to == null) {
            exchange.fail(new IOException("the connection is closed"));
            abort();
            return;
        }
        if (!exchange.begin(abort)) {
            abort();
            return;
        }
        var _ =
                to.sendBinary(ByteBuffer.wrap(exchange.frame), true)
                        .whenComplete(
                                (sent, failure) -> {
                                    if (failure != null) {
                                        lost(failure);
                                    } else if (markSent()) {
                                        end();
                                    }
                                });
    }

    private synchronized @Nullable WebSocket begin(SocketExchange exchange) {
        carried = exchange;
        isSent = false;
        isAnswered = false;
        return aborted ? null : connection;
    }

    /** Whether the exchange has ended now. */
    private synchronized boolean markSent() {
        isSent = true;
        return isAnswered;
    }

    @Override
    public void onOpen(WebSocket webSocket) {
        webSocket.request(Long.MAX_VALUE);
    }

    /** A part of an answer, or all of it. */
    @Override
    public @Nullable CompletionStage<?> onBinary(
            WebSocket webSocket, ByteBuffer part, boolean isEnd) {
        SocketExchange exchange = carried();
        if (exchange == null) {
            lost(new IOException("an answer to nothing"));
            return null;
        }
        IOException refused = makeRoom(exchange, part.remaining(), isEnd);
        if (refused != null) {
            lost(refused);
        } else if (take(part, isEnd)) {
            end();
        }
        return null;
    }

    private synchronized @Nullable SocketExchange carried() {
        return isAnswered ? null : carried;
    }

    /** Makes the array large enough; most answers are small and come in one part. */
    private @Nullable IOException makeRoom(SocketExchange exchange, int partBytes, boolean isEnd) {
        int needed;
        int reserved;
        synchronized (this) {
            needed = answerBytes + partBytes;
            reserved = reservedBytes;
        }
        if (needed > exchange.maxReplyBytes) {
            return new IOException("an answer of more than " + exchange.maxReplyBytes + " bytes");
        }
        if (needed > ReplyBody.LARGE_BYTES && needed > reserved) {
            if (!exchange.hasRoom.test(needed - reserved)) {
                return new NoRoomException();
            }
            reserved = needed;
        }
        synchronized (this) {
            reservedBytes = reserved;
            if (needed > answer.length) {
                int length = isEnd ? needed : Math.max(needed, 2 * answer.length);
                answer = Arrays.copyOf(answer, length);
            }
        }
        return null;
    }

    /** Whether the exchange has ended now. */
    private synchronized boolean take(ByteBuffer part, boolean isEnd) {
        int length = part.remaining();
        part.get(answer, answerBytes, length);
        answerBytes += length;
        isAnswered = isEnd;
        return isEnd && isSent;
    }

    /** Ends the exchange. */
    private void end() {
        SocketExchange exchange;
        byte[] got;
        int length;
        synchronized (this) {
            exchange = carried;
            got = answer;
            length = answerBytes;
            carried = null;
            answer = NOTHING;
            answerBytes = 0;
            reservedBytes = 0;
        }
        if (exchange == null) {
            return;
        }
        if (length < STATUS_BYTES) {
            exchange.fail(new IOException("an answer of " + length + " bytes"));
            abort();
            return;
        }
        int status = (got[0] & 0xFF) << Byte.SIZE | (got[1] & 0xFF);
        if ((status & HttpExchange.LAST_ANSWER) != 0) {
            abort();
        } else {
            pool.release(this);
        }
        exchange.succeed(
                new Reply(
                        status & ~HttpExchange.LAST_ANSWER,
                        Arrays.copyOfRange(got, STATUS_BYTES, length)));
    }

    @Override
    public @Nullable CompletionStage<?> onClose(
            WebSocket webSocket, int statusCode, String reason) {
        lost(new IOException("the peer has closed the connection: " + statusCode));
        return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
        lost(error);
    }

    private void lost(Throwable why) {
        SocketExchange exchange;
        synchronized (this) {
            exchange = carried;
            carried = null;
        }
        abort();
        if (exchange != null) {
            exchange.fail(why);
        }
    }

    /** Closes the connection; its exchange fails. */
    void abort() {
        WebSocket open;
        SocketExchange exchange;
        synchronized (this) {
            aborted = true;
            open = connection;
            exchange = carried;
            carried = null;
        }
        pool.lost(this);
        if (open != null) {
            open.abort();
        }
        if (exchange != null) {
            exchange.fail(new IOException("the connection is closed"));
        }
    }
}
