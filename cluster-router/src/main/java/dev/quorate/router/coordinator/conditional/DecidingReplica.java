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
 * A replica that is asked to accept a value, which is chosen by that: if it accepts it, it has
 * stored it. Asked to store the value, it answers so, once that is known; otherwise it is sent the
 * value.
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

    /** Asks it to store the value, once it is known whether it has. */
    private @Nullable Runnable waiting;

    DecidingReplica(Replica replica) {
        this.replica = replica;
    }

    @Override
    public Member member() {
        return replica.member();
    }

    /** Asks it to accept the value, or to store it. */
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
