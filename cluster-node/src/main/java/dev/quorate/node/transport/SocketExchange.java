package dev.quorate.node.transport;

import dev.quorate.node.transport.PeerLink.Receiver;
import dev.quorate.node.transport.PeerLink.Reply;
import dev.quorate.node.transport.PeerLink.Sent;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** One message to a peer, for which one comes back. Its receiver is told once. */
final class SocketExchange implements Sent {

    final byte[] frame;
    final int maxReplyBytes;
    final LongPredicate hasRoom;
    private final Receiver receiver;
    private final AtomicBoolean over = new AtomicBoolean();

    /** What carries it; null until something does. */
    private volatile @Nullable PeerSocket socket;

    SocketExchange(byte[] frame, int maxReplyBytes, LongPredicate hasRoom, Receiver receiver) {
        this.frame = frame;
        this.maxReplyBytes = maxReplyBytes;
        this.hasRoom = hasRoom;
        this.receiver = receiver;
    }

    /** It is about to be sent; false if nobody waits for it any more. */
    boolean carriedBy(PeerSocket carrier) {
        socket = carrier;
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
            PeerSocket carrier = socket;
            if (carrier != null) {
                carrier.abort();
            }
            fail(new CancellationException());
        }
    }
}
