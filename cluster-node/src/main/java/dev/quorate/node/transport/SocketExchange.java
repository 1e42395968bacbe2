package dev.quorate.node.transport;

import dev.quorate.node.transport.PeerLink.Receiver;
import dev.quorate.node.transport.PeerLink.Reply;
import dev.quorate.node.transport.PeerLink.Sent;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** One message to a peer, and its reply. Its receiver is called once. */
final class SocketExchange implements Sent {

    final byte[] frame;
    final int maxReplyBytes;
    final LongPredicate hasRoom;
    private final Receiver receiver;
    private final AtomicBoolean over = new AtomicBoolean();

    /** Closes the connection that sends it; null before. */
    private volatile @Nullable Runnable abort;

    SocketExchange(byte[] frame, int maxReplyBytes, LongPredicate hasRoom, Receiver receiver) {
        this.frame = frame;
        this.maxReplyBytes = maxReplyBytes;
        this.hasRoom = hasRoom;
        this.receiver = receiver;
    }

    /**
     * Begins to send it; false if it was cancelled.
     *
     * @param onCancel closes the connection
     */
    boolean begin(Runnable onCancel) {
        abort = onCancel;
        return !over.get();
    }

    void succeed(Reply reply) {
        if (over.compareAndSet(false, true)) {
            receiver.received(reply);
        }
    }

    void fail(Throwable why) {
        if (over.compareAndSet(false, true)) {
            receiver.failed(why);
        }
    }

    @Override
    public void cancel() {
        if (!over.get()) {
            Runnable onCancel = abort;
            if (onCancel != null) {
                onCancel.run();
            }
            fail(new CancellationException());
        }
    }
}
