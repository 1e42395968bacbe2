package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.coordinator.operation.AskedReplica;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.topology.Member;
import org.jspecify.annotations.Nullable;

/**
 * A replica whose acceptance of a value makes it chosen: a replica that accepts it has also stored
 * it. A request to store the value waits until that is known, and is sent only if the replica has
 * not stored it.
 */
final class DecidingReplica implements Replica {

    private enum State {
        UNKNOWN,
        STORED,
        NOT_STORED
    }

    private final Replica replica;

    // ---- Guarded by this.

    private State state = State.UNKNOWN;

    /** Asks the replica to store the value, once it is known whether it has stored it. */
    private @Nullable Runnable waiting;

    DecidingReplica(Replica replica) {
        this.replica = replica;
    }

    @Override
    public Member member() {
        return replica.member();
    }

    /** Asks the replica to accept the value, or to store it. */
    @Override
    public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        if (request instanceof ReplicaRequest.Write write) {
            askToStore(write, deadlineNanos, callback);
            return;
        }
        replica.ask(
                request,
                deadlineNanos,
                new AskedReplica(callback.trace()) {
                    @Override
                    public void answered(ReplicaAnswer answer) {
                        accepted(answer);
                        callback.answered(answer);
                    }
                });
    }

    private void accepted(ReplicaAnswer answer) {
        boolean isStored =
                answer instanceof ReplicaAnswer.FromAcceptor(byte[] key, AcceptorAnswer acceptors)
                        && acceptors == AcceptorAnswer.Done.DONE;
        Runnable next;
        synchronized (this) {
            state = isStored ? State.STORED : State.NOT_STORED;
            next = waiting;
            waiting = null;
        }
        if (next != null) {
            next.run();
        }
    }

    private void askToStore(
            ReplicaRequest.Write write, long deadlineNanos, AnswerCallback callback) {
        boolean isStored;
        synchronized (this) {
            if (state == State.UNKNOWN) {
                waiting = () -> askToStore(write, deadlineNanos, callback);
                return;
            }
            isStored = state == State.STORED;
        }
        if (isStored) {
            callback.answered(new ReplicaAnswer.Stored(write.entry().timestamp()));
        } else {
            replica.ask(write, deadlineNanos, callback);
        }
    }
}
