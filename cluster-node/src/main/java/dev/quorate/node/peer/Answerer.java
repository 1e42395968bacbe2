package dev.quorate.node.peer;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaRequest;

/** Answers peers' requests: this node's own replica, which forwards nothing. */
@FunctionalInterface
public interface Answerer {

    /**
     * See {@code Replica.ask}; declared here so that the packages form no circle.
     *
     * @param lane the lane of the request
     */
    void ask(Lane lane, ReplicaRequest request, long deadlineNanos, AnswerCallback callback);
}
