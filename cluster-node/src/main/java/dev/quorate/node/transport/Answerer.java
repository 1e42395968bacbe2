package dev.quorate.node.transport;

import dev.quorate.node.message.AnswerCallback;
import dev.quorate.node.message.Lane;
import dev.quorate.node.message.ReplicaRequest;

/** Who answers what peers ask: this node's own replica, which forwards nothing. */
@FunctionalInterface
public interface Answerer {

    /**
     * As {@code Replica.ask}, which it is; named here so that the packages form no circle.
     *
     * @param lane what the asker sent it in
     */
    void ask(Lane lane, ReplicaRequest request, long deadlineNanos, AnswerCallback callback);
}
