package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.ConditionalRound;
import dev.quorate.router.conditional.ConditionalStep;
import dev.quorate.router.conditional.ConditionalStep.Owners;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.KeyEntry;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.coordinator.operation.AskedReplica;
import dev.quorate.router.coordinator.operation.Ending;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Trace;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.coordinator.readwrite.WriteOperation;
import dev.quorate.router.coordinator.readwrite.WriteRound;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The owners of a key, and the questions of one conditional write to them. */
final class AskedOwners {

    /** Receives the answer of an owner, given by its index. */
    @FunctionalInterface
    interface Answers {
        void answered(int owner, ReplicaAnswer answer);
    }

    private final byte[] key;
    private final QuorumSpec spec;
    private final long deadlineNanos;
    private final View view;
    private final @Nullable TraceParent trace;

    /** The first owner is this node, if this node is an owner. */
    private final Replica[] owners;

    /** The same owners, to be asked to store the chosen value. */
    private volatile Replica[] storing;

    /**
     * @param nowNanos like {@code deadlineNanos}, in {@code Ticker.nanos} time
     * @param trace the trace of the client's request; null if it has none
     */
    AskedOwners(
            byte[] key,
            QuorumSpec spec,
            View view,
            long nowNanos,
            long deadlineNanos,
            @Nullable TraceParent trace) {
        this.key = key;
        this.spec = spec;
        this.view = view;
        this.deadlineNanos = deadlineNanos;
        this.owners = view.inAskOrder(key, spec, Lane.WRITE, nowNanos);
        this.storing = owners;
        this.trace = trace;
    }

    int size() {
        return owners.length;
    }

    /** The majority that decides a ballot. */
    Electorate majority() {
        return view.electorate(key, spec, owners).majority();
    }

    /** The epoch in which these are the owners. */
    int epoch() {
        return view.topology().epoch();
    }

    /** Whether this node is still in the epoch in which these are the owners. */
    boolean isCurrent() {
        return view.isCurrent();
    }

    String name(int owner) {
        return owners[owner].name();
    }

    Trace trace(long nowNanos) {
        return new Trace(owners, nowNanos, view.placement().effectiveFrom(0));
    }

    int self() {
        return name(0).equals(view.local().name()) ? 0 : ConditionalRound.NO_OWNER;
    }

    /** This node's place in the ring's order; the number of owners if it is not an owner. */
    int rank() {
        Replica[] inOrder = view.owners(key, spec);
        for (int i = 0; i < inOrder.length; i++) {
            if (inOrder[i].name().equals(view.local().name())) {
                return i;
            }
        }
        return inOrder.length;
    }

    ReplicaRequest message(Question question) {
        return new ReplicaRequest.ToAcceptor(key, view.placement().storedFrom(spec), question);
    }

    /** A message to store an entry as it is. */
    ReplicaRequest.Write message(Current entry) {
        return ReplicaRequest.Write.copyOf(KeyEntry.entry(key, entry));
    }

    /** Asks the owners in order; stops when {@code isCurrent} is false. */
    void ask(ReplicaRequest message, BooleanSupplier isCurrent, Answers answers) {
        for (int i = 0; i < owners.length && isCurrent.getAsBoolean(); i++) {
            owners[i].ask(message, deadlineNanos, asked(i, answers));
        }
    }

    /** Asks the step's owners to accept its proposal. An owner that decides it also stores it. */
    void askToAccept(ConditionalStep.Accept step, Answers answers) {
        ReplicaRequest message =
                message(new Question.Accept(step.ballot(), step.proposal(), step.decides()));
        int first = step.owners() == Owners.OTHERS ? 1 : 0;
        int end = step.owners() == Owners.SELF ? 1 : owners.length;
        Replica[] asked = owners.clone();
        for (int i = first; i < end && step.decides(); i++) {
            asked[i] = new DecidingReplica(owners[i]);
        }
        storing = asked;
        for (int i = first; i < end; i++) {
            asked[i].ask(message, deadlineNanos, asked(i, answers));
        }
    }

    /** Writes the value that the owners were last asked to accept as the entry of the key. */
    void store(OperationContext context, Current chosen, Ending ending) {
        Replica[] asked = storing;
        WriteRound first =
                new WriteRound(
                        view.electorate(key, spec, asked),
                        asked,
                        message(chosen),
                        0,
                        List.of(),
                        context.nanos());
        new WriteOperation(context, view, asked, first, deadlineNanos, ending, outcome -> {})
                .start();
    }

    private AnswerCallback asked(int owner, Answers answers) {
        return new AskedReplica(view, trace) {

            @Override
            public void answered(ReplicaAnswer answer) {
                answers.answered(owner, view.counted(owners[owner], answer));
            }
        };
    }

    /**
     * A replica whose acceptance of a value makes it chosen: a replica that accepts it has also
     * stored it. A request to store the value waits until that is known, and is sent only if the
     * replica has not stored it.
     */
    private static final class DecidingReplica implements Replica {

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
                    new AnswerCallback() {
                        @Override
                        public void answered(ReplicaAnswer answer) {
                            accepted(answer);
                            callback.answered(answer);
                        }

                        @Override
                        public @Nullable TraceParent trace() {
                            return callback.trace();
                        }

                        @Override
                        public @Nullable Topology topology() {
                            return callback.topology();
                        }
                    });
        }

        private void accepted(ReplicaAnswer answer) {
            boolean isStored =
                    answer
                                    instanceof
                                    ReplicaAnswer.FromAcceptor(byte[] key, AcceptorAnswer acceptors)
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
}
