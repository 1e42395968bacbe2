package dev.quorate.node.transport;

import dev.quorate.node.message.Lane;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * The way to one peer's door: a frame there, and one back. All that the transport needs of a
 * network, so that it can run over another one.
 */
public interface PeerLink extends AutoCloseable {

    /**
     * Sends a frame.
     *
     * @param maxReplyBytes a longer answer is a failure
     * @param hasRoom asked, before an answer is taken, whether there is room for so many bytes; the
     *     rest is a failure, {@link NoRoomException}
     * @param receiver told exactly once, on any thread, perhaps before this returns
     */
    Sent send(Message message, int maxReplyBytes, LongPredicate hasRoom, Receiver receiver);

    /**
     * The peer could not be reached: looks for it anew, in the background.
     *
     * @param found runs if it is elsewhere now, or seen for the first time
     */
    void seek(Runnable found);

    /** Fails what is under way. */
    @Override
    void close();

    /**
     * A frame on its way.
     *
     * @param lane what the frame travels in: in a small one it is short, and in one part
     * @param frame its parts, one after the other, which are not copied and not changed any more
     * @param pass makes what goes ahead of the frame where the peer is to know who sends before it
     *     takes anything: a frame without operations. What comes back may then be a refusal of it
     */
    record Message(Lane lane, List<byte[]> frame, Supplier<byte[]> pass) {
        public Message {
            frame = List.copyOf(frame);
        }
    }

    /** Told how it ended. */
    interface Receiver {

        /** An answer. */
        void received(Reply reply);

        /** None: whether the frame arrived is not known. */
        void failed(Throwable why);
    }

    /** An answer as it came: an HTTP status, and a frame or a text. */
    record Reply(int status, byte[] body) {}

    /** What is under way. */
    interface Sent {

        /** Nobody waits for it any more: ends it with a failure, unless it has ended. */
        void cancel();
    }
}
