package dev.quorate.node.message;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What comes back for a frame of requests. */
public sealed interface PeerReply {

    FrameHeader header();

    /**
     * One answer for each request, in the order of the requests.
     *
     * @param answers null where the answer did not fit: the request is to be sent again
     */
    record Answers(FrameHeader header, List<@Nullable ReplicaAnswer> answers) implements PeerReply {
        public Answers {
            answers = Collections.unmodifiableList(answers);
        }
    }

    /** Nothing was done. */
    record Refusal(FrameHeader header, RefusalReason reason, String text) implements PeerReply {}
}
