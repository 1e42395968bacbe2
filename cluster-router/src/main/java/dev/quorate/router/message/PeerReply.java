package dev.quorate.router.message;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reply to a frame of requests. */
public sealed interface PeerReply {

    FrameHeader header();

    /**
     * One answer for each request, in the order of the requests.
     *
     * @param answers null where the answer did not fit: the request must be sent again
     */
    record Answers(FrameHeader header, List<@Nullable ReplicaAnswer> answers) implements PeerReply {
        public Answers {
            answers = Collections.unmodifiableList(answers);
        }
    }

    /** The frame was refused: nothing was done. */
    record Refusal(FrameHeader header, RefusalReason reason, String text) implements PeerReply {}
}
