package dev.quorate.node.peer;

import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.topology.Topology;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * One incoming exchange: executes each operation, and answers when all are complete or the deadline
 * has passed.
 *
 * <p>The size of its reply is bounded, whatever the sizes of values: an answer that does not fit is
 * dropped, and the sender asks again. In the bulk lane the first answer always fits, which ensures
 * progress; in other lanes large answers never fit, so that they do not delay small ones.
 */
final class DoorExchange implements Deadlines.Expiring {

    /** Longer answers use the bulk lane. */
    static final int LARGE_ANSWER_BYTES = 96 * 1024;

    private final Lane lane;
    private final Topology topology;
    private final List<ReplicaRequest> requests;
    private final long deadlineNanos;
    private final Consumer<ReplicaRequest> whenAnswered;
    private final Consumer<List<@Nullable ReplicaAnswer>> respond;

    // Guarded by this; no callback is called with it held.
    private final @Nullable ReplicaAnswer[] answers;
    private final boolean[] isAnswered;
    private int missing;
    private long bytes;
    private boolean responded;

    /**
     * @param topology of the requests
     * @param whenAnswered called for each request with its answer
     * @param respond called once with the answers
     */
    DoorExchange(
            Lane lane,
            Topology topology,
            List<ReplicaRequest> requests,
            long deadlineNanos,
            Consumer<ReplicaRequest> whenAnswered,
            Consumer<List<@Nullable ReplicaAnswer>> respond) {
        this.lane = lane;
        this.topology = topology;
        this.requests = requests;
        this.deadlineNanos = deadlineNanos;
        this.whenAnswered = whenAnswered;
        this.respond = respond;
        this.answers = new ReplicaAnswer[requests.size()];
        this.isAnswered = new boolean[requests.size()];
        this.missing = requests.size() + 1; // one for the loop that asks
    }

    void start(Answerer answerer) {
        for (int i = 0; i < requests.size(); i++) {
            int index = i;
            ReplicaRequest request = requests.get(i).plain();
            if (isFull() && !(request instanceof ReplicaRequest.Write)) {
                complete(index, null);
            } else {
                ask(index, answerer);
            }
        }
        if (countDown()) {
            respond.accept(removeAnswers());
        }
    }

    /** Lines logged meanwhile contain the trace of the request. */
    private void ask(int index, Answerer answerer) {
        ReplicaRequest request = requests.get(index);
        TraceParent trace = SlowRequests.traceOf(request);
        if (trace != null) {
            MDC.put("trace", trace.id());
        }
        try {
            answerer.ask(
                    lane,
                    request.plain(),
                    deadlineNanos,
                    new AnswerCallback() {
                        @Override
                        public void answered(ReplicaAnswer answer) {
                            if (trace != null) {
                                MDC.remove("trace"); // A line about the answer has it as a field.
                            }
                            whenAnswered.accept(request);
                            complete(index, answer);
                        }

                        @Override
                        public Topology topology() {
                            return topology;
                        }
                    });
        } finally {
            if (trace != null) {
                MDC.remove("trace");
            }
        }
    }

    private synchronized boolean isFull() {
        return bytes >= PeerCodec.MAX_ANSWER_BYTES;
    }

    private void complete(int index, @Nullable ReplicaAnswer answer) {
        if (storeAnswer(index, answer)) {
            respond.accept(removeAnswers());
        }
    }

    /** Stores an answer; returns whether it was the last. */
    private synchronized boolean storeAnswer(int index, @Nullable ReplicaAnswer answer) {
        if (responded || isAnswered[index]) {
            return false;
        }
        isAnswered[index] = true;
        if (answer != null) {
            int size = PeerCodec.answerBytes(answer);
            if (fits(answer, size)) {
                answers[index] = answer;
                bytes += size;
            }
        }
        return countDown();
    }

    private boolean fits(ReplicaAnswer answer, int size) {
        return switch (answer) {
            case ReplicaAnswer.Found _,
                    ReplicaAnswer.Page _,
                    ReplicaAnswer.StreamedPage _,
                    ReplicaAnswer.Compared _,
                    ReplicaAnswer.Inquired _,
                    ReplicaAnswer.Accepting _ ->
                    fits(size);
            case ReplicaAnswer.FromAcceptor(byte[] key, AcceptorAnswer acceptors) ->
                    !(acceptors instanceof AcceptorAnswer.Promised) || fits(size);
            // Small, and a write must not be repeated for its answer.
            case ReplicaAnswer.Absent _,
                    ReplicaAnswer.Digested _,
                    ReplicaAnswer.Stored _,
                    ReplicaAnswer.Announced _,
                    ReplicaAnswer.Counted _,
                    Failed _ ->
                    true;
        };
    }

    private boolean fits(int size) {
        return lane.takesLarge()
                ? bytes == 0 || bytes + size <= PeerCodec.MAX_ANSWER_BYTES
                : size <= LARGE_ANSWER_BYTES && bytes + size <= PeerCodec.MAX_ANSWER_BYTES;
    }

    private synchronized boolean countDown() {
        if (responded) {
            return false;
        }
        responded = --missing == 0;
        return responded;
    }

    private List<@Nullable ReplicaAnswer> removeAnswers() {
        return Arrays.asList(answers);
    }

    @Override
    public synchronized boolean isComplete() {
        return responded;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void expire() {
        synchronized (this) {
            if (responded) {
                return;
            }
            responded = true;
            for (int i = 0; i < answers.length; i++) {
                if (!isAnswered[i]) {
                    answers[i] = new Failed(Failure.TIMEOUT, "not done in time");
                }
            }
        }
        respond.accept(removeAnswers());
    }
}
