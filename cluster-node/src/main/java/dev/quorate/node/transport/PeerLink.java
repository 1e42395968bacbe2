package dev.quorate.node.transport;

import dev.quorate.node.message.Lane;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * The link to one peer's door: sends a frame, and returns one. All that the transport needs of a
 * network, so that it can be simulated.
 */
public interface PeerLink extends AutoCloseable {

    /**
     * Sends a frame.
     *
     * @param maxReplyBytes a longer answer is a failure
     * @param hasRoom called before an answer is read, with its length; false is a failure, {@link
     *     NoRoomException}
     * @param receiver called on any thread, perhaps before this returns; its first call counts
     */
    Sent send(Message message, int maxReplyBytes, LongPredicate hasRoom, Receiver receiver);

    /**
     * Resolves the peer's address again, in the background.
     *
     * @param found runs if the address is new
     */
    void seek(Runnable found);

    /** Fails what is in progress. */
    @Override
    void close();

    /**
     * A frame to send.
     *
     * @param lane the lane of the frame: in a small one it is short, and in one part
     * @param frame its parts in order, which are neither copied nor changed
     * @param pass creates the pass that authenticates the sender before the peer reads the frame.
     *     The reply may be a refusal of it
     */
    record Message(Lane lane, List<byte[]> frame, Supplier<byte[]> pass) {
        public Message {
            frame = List.copyOf(frame);
        }
    }

    /** Receives the result. */
    interface Receiver {

        /** The reply. */
        void received(Reply reply);

        /** There is no reply; whether the frame arrived is unknown. */
        void failed(Throwable why);
    }

    /** A reply: an HTTP status, and a frame or a text. */
    record Reply(int status, byte[] body) {}

    /** An exchange in progress. */
    interface Sent {

        /** Fails it, unless it has ended. */
        void cancel();
    }
}
