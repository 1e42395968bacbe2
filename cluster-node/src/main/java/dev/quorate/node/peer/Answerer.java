package dev.quorate.node.peer;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaRequest;

/** Answers peers' requests by this node's own replica, without forwarding. */
@FunctionalInterface
public interface Answerer {

    /**
     * See {@code Replica.ask}; declared here to avoid a cycle of packages.
     *
     * @param lane the lane of the request
     */
    void ask(Lane lane, ReplicaRequest request, long deadlineNanos, AnswerCallback callback);
}
