package dev.quorate.router.transport;

import dev.quorate.router.message.Lane;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;

/**
 * The link to one peer endpoint, which sends a frame and returns a reply. It is the transport's
 * only access to a network, so that simulations can replace it.
 */
public interface PeerLink extends AutoCloseable {

    /** A link reserves memory with the receiver before it reads a longer reply. */
    int LARGE_REPLY_BYTES = 64 << 10;

    /**
     * Sends a frame.
     *
     * @param receiver called on any thread, perhaps before this method returns; the first result
     *     counts
     */
    Sent send(Message message, Receiver receiver);

    /**
     * Resolves the peer's address again, in the background.
     *
     * @param found runs if the address is new
     */
    void seek(Runnable found);

    /** Fails the exchanges in progress. */
    @Override
    void close();

    /**
     * A frame to send.
     *
     * @param lane the lane of the frame; in a small lane, the frame is short and in one part
     * @param frame the parts of the frame in order, neither copied nor changed
     * @param pass creates the pass that authenticates the sender before the peer reads the frame.
     *     The reply may refuse the pass
     * @param maxReplyBytes maximum length; a longer reply is a failure
     */
    record Message(Lane lane, List<byte[]> frame, Supplier<byte[]> pass, int maxReplyBytes) {
        public Message {
            frame = List.copyOf(frame);
        }
    }

    interface Receiver {

        /**
         * Reserves memory for this many more bytes of the reply. If it returns false, the exchange
         * fails with {@link NoRoomException}.
         */
        boolean reserve(long bytes);

        void received(Reply reply);

        /** Reports that no reply will arrive; the peer may have received the frame. */
        void failed(Throwable why);
    }

    /** A reply: an HTTP status, and a frame or a text. */
    record Reply(int status, byte[] body) {}

    /** An exchange in progress. */
    interface Sent {

        /** Fails the exchange with a {@link CancellationException}, unless it has ended. */
        void cancel();
    }
}
