package dev.quorate.router.transport;

import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.transport.PeerLink.Receiver;
import dev.quorate.router.transport.PeerLink.Reply;
import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a peer endpoint, and its current exchange. An exchange ends when its answer has
 * arrived <i>and</i> the client has reported that the message was sent: the answer may arrive
 * first, and until the report the client refuses another message.
 *
 * <p>The client calls this on its selector thread or, if a message was sent at once, on the
 * sender's. The monitor guards the mutable fields; nothing is called with it held.
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

    private @Nullable WebSocket connection;
    private @Nullable Receiver carried;
    private int maxReplyBytes;
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

    /** Begins an exchange. No other may be in progress. */
    synchronized void carry(Receiver receiver, int maximum) {
        carried = receiver;
        maxReplyBytes = maximum;
        isSent = false;
        isAnswered = false;
    }

    /** Sends the frame of the exchange, unless the exchange was cancelled. */
    void send(byte[] frame) {
        WebSocket to;
        synchronized (this) {
            to = aborted ? null : connection;
        }
        if (to == null) {
            abort();
            return;
        }
        var _ =
                to.sendBinary(ByteBuffer.wrap(frame), true)
                        .whenComplete(
                                (sent, failure) -> {
                                    if (failure != null) {
                                        lost(failure);
                                    } else if (markSent()) {
                                        end();
                                    }
                                });
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

    /** Receives an answer, or a part of it. */
    @Override
    public @Nullable CompletionStage<?> onBinary(
            WebSocket webSocket, ByteBuffer part, boolean isEnd) {
        Receiver receiver = carried();
        if (receiver == null) {
            lost(new IOException("an answer to nothing"));
            return null;
        }
        IOException refused = makeRoom(receiver, part.remaining(), isEnd);
        if (refused != null) {
            lost(refused);
        } else if (append(part, isEnd)) {
            end();
        }
        return null;
    }

    private synchronized @Nullable Receiver carried() {
        return isAnswered ? null : carried;
    }

    /** Makes the array large enough; most answers are small and arrive in one part. */
    private @Nullable IOException makeRoom(Receiver receiver, int partBytes, boolean isEnd) {
        int needed;
        int reserved;
        int maximum;
        synchronized (this) {
            needed = answerBytes + partBytes;
            reserved = reservedBytes;
            maximum = maxReplyBytes;
        }
        if (needed > maximum) {
            return new IOException("an answer of more than " + maximum + " bytes");
        }
        if (needed > PeerLink.LARGE_REPLY_BYTES && needed > reserved) {
            if (!receiver.reserve(needed - reserved)) {
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
    private synchronized boolean append(ByteBuffer part, boolean isEnd) {
        int length = part.remaining();
        part.get(answer, answerBytes, length);
        answerBytes += length;
        isAnswered = isEnd;
        return isEnd && isSent;
    }

    private void end() {
        Receiver receiver;
        byte[] got;
        int length;
        synchronized (this) {
            receiver = carried;
            got = answer;
            length = answerBytes;
            carried = null;
            answer = NOTHING;
            answerBytes = 0;
            reservedBytes = 0;
        }
        if (receiver == null) {
            return;
        }
        if (length < STATUS_BYTES) {
            receiver.failed(new IOException("an answer of " + length + " bytes"));
            abort();
            return;
        }
        int status = (got[0] & 0xFF) << Byte.SIZE | (got[1] & 0xFF);
        if ((status & PeerCodec.LAST_ANSWER) != 0) {
            abort();
        } else {
            pool.release(this);
        }
        receiver.received(
                new Reply(
                        status & ~PeerCodec.LAST_ANSWER,
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

    /** Closes the connection; its exchange fails. */
    void abort() {
        lost(new IOException("the connection is closed"));
    }

    /** Cancels an exchange and closes its connection, unless the exchange has ended. */
    void cancel(Receiver receiver) {
        boolean carries;
        synchronized (this) {
            carries = Objects.equals(carried, receiver);
            if (carries) {
                carried = null;
                aborted = true;
            }
        }
        if (carries) {
            receiver.failed(new CancellationException());
            abort();
        }
    }

    private void lost(Throwable why) {
        WebSocket open;
        Receiver receiver;
        synchronized (this) {
            aborted = true;
            open = connection;
            receiver = carried;
            carried = null;
        }
        pool.lost(this);
        if (open != null) {
            open.abort();
        }
        if (receiver != null) {
            receiver.failed(why);
        }
    }
}
