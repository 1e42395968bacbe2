package dev.quorate.node.api.answer;

import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.node.http.HeaderLines;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.HeldRoom;
import org.jspecify.annotations.Nullable;

/** Answers a request for one entity with the outcome of its operation. */
public final class EntityAnswer implements OutcomeCallback {

    /** Bodies up to this size are not counted while late replicas need them. */
    private static final int MAX_UNCOUNTED_BYTES = 65_536;

    /**
     * The request.
     *
     * @param bodyBytes bytes of the request's body
     * @param trace the trace of the request; null without one
     * @param isExplained whether the client wants an explanation
     * @param startedNanos when the request was complete, in {@code Ticker.nanos} time
     */
    public record Asked(
            Operation operation,
            byte[] key,
            QuorumSpec spec,
            int bodyBytes,
            @Nullable TraceParent trace,
            boolean isExplained,
            long startedNanos) {

        /** The same request with a later start: the wait is not part of its duration. */
        public Asked startedAt(long nanos) {
            return new Asked(operation, key, spec, bodyBytes, trace, isExplained, nanos);
        }
    }

    private static final byte[] TRACE_LINE = HeaderLines.beginning("X-Quorate-Trace");

    private final AnswerContext context;
    private final Asked asked;
    private final HttpExchange exchange;

    /** The memory reserved for the value of the outcome. */
    private HeldRoom room = HeldRoom.NONE;

    /** The requested part of the value; null for the whole. */
    private @Nullable ValueRange range;

    public EntityAnswer(AnswerContext context, Asked asked, HttpExchange exchange) {
        this.context = context;
        this.asked = asked;
        this.exchange = exchange;
    }

    /** Answers a read, unless a condition on the version that is found does not hold. */
    public static OutcomeCallback ofRead(
            AnswerContext context,
            Asked asked,
            @Nullable ValueRange range,
            @Nullable ReadCondition condition,
            HttpExchange exchange) {
        EntityAnswer answer = new EntityAnswer(context, asked, exchange);
        answer.range = range;
        return condition == null ? answer : new ConditionalRead(condition, answer, answer::respond);
    }

    @Override
    public @Nullable TraceParent trace() {
        return asked.trace();
    }

    @Override
    public @Nullable Runnable retainValue() {
        return asked.bodyBytes() > MAX_UNCOUNTED_BYTES ? exchange.retainBody() : null;
    }

    @Override
    public void acceptRoom(HeldRoom valueRoom) {
        room = valueRoom;
    }

    @Override
    public boolean isExplained() {
        return asked.isExplained() || context.log().isSlow(nanos());
    }

    private long nanos() {
        return context.ticker().nanos() - asked.startedNanos();
    }

    @Override
    public void completed(Outcome outcome) {
        HeaderLines why =
                asked.isExplained() && outcome instanceof Outcome.Refused refused
                        ? withTrace(Explaining.nobodyAsked(refused.reason()))
                        : HeaderLines.NONE;
        answer(outcome, null, why);
    }

    @Override
    public void completed(Outcome outcome, Explanation explanation) {
        HeaderLines why =
                asked.isExplained() ? withTrace(Explaining.headers(explanation)) : HeaderLines.NONE;
        answer(outcome, explanation, why);
    }

    private HeaderLines withTrace(HeaderLines why) {
        TraceParent trace = asked.trace();
        return trace == null ? why : why.add(TRACE_LINE).add(trace.id());
    }

    private void answer(Outcome outcome, @Nullable Explanation explanation, HeaderLines why) {
        TraceParent trace = context.shown(outcome, asked.trace());
        int status = asked.operation() == Operation.PATCH ? OutcomeAnswers.RENEWED : 202;
        int written = asked.operation() == Operation.PUT ? 201 : status;
        HttpResponse whole = OutcomeAnswers.response(outcome, written, why, trace);
        HttpResponse response =
                range != null && outcome instanceof Outcome.Found(var entry)
                        ? range.cut(whole, entry.timestamp())
                        : whole;
        long nanos = respond(response);
        if (context.log().isLogged(nanos, OperationLog.isFailure(outcome))) {
            context.write(
                    new OperationLog.Line(
                            asked.operation(),
                            response.status(),
                            asked.spec(),
                            asked.key(),
                            asked.bodyBytes(),
                            trace,
                            OperationLog.explanation(outcome, explanation),
                            nanos));
        }
    }

    /** Sends the answer; returns the operation's duration in nanoseconds. */
    private long respond(HttpResponse response) {
        if (asked.operation() == Operation.GET) {
            exchange.respond(response, room);
        } else {
            // One thread completes a group of writes. Sending a hundred answers would take it
            // longer than the disk took, so the selectors send them.
            exchange.respondFromSelector(response);
        }
        long nanos = nanos();
        context.observer().answered(asked.operation(), response.status(), asked.spec(), nanos);
        return nanos;
    }
}
