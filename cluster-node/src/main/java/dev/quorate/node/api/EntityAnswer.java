package dev.quorate.node.api;

import dev.quorate.node.api.ClientObserver.Operation;
import dev.quorate.node.coordinator.Explanation;
import dev.quorate.node.coordinator.Outcome;
import dev.quorate.node.coordinator.OutcomeCallback;
import dev.quorate.node.http.HeaderLines;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.runtime.HeldRoom;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.router.quorum.QuorumSpec;
import org.jspecify.annotations.Nullable;

/** Answers a request for one entity with the outcome of its operation. */
final class EntityAnswer implements OutcomeCallback {

    /** Late replicas may need a small body longer than it is counted. */
    private static final int MAX_UNCOUNTED_BYTES = 65_536;

    /**
     * What was asked.
     *
     * @param bodyBytes of the request
     * @param isExplained whether the client wants an explanation
     * @param startedNanos when the request was complete, in {@code Ticker.nanos} time
     */
    record Asked(
            Operation operation,
            QuorumSpec spec,
            int bodyBytes,
            boolean isExplained,
            long startedNanos) {}

    private final Asked asked;
    private final HttpExchange exchange;
    private final ClientObserver observer;
    private final Ticker ticker;

    /** What is reserved for the value of the outcome. */
    private HeldRoom room = HeldRoom.NONE;

    /** The part of the value that is asked for; null for the whole. */
    @Nullable ValueRange range;

    EntityAnswer(Asked asked, HttpExchange exchange, ClientObserver observer, Ticker ticker) {
        this.asked = asked;
        this.exchange = exchange;
        this.observer = observer;
        this.ticker = ticker;
    }

    @Override
    public @Nullable Runnable keepsValue() {
        return asked.bodyBytes() > MAX_UNCOUNTED_BYTES ? exchange.keepBody() : null;
    }

    @Override
    public void takes(HeldRoom valueRoom) {
        room = valueRoom;
    }

    @Override
    public boolean isExplained() {
        return asked.isExplained();
    }

    @Override
    public void completed(Outcome outcome) {
        HeaderLines why =
                asked.isExplained() && outcome instanceof Outcome.Refused refused
                        ? Explaining.nobodyAsked(refused.reason())
                        : HeaderLines.NONE;
        answer(outcome, why);
    }

    @Override
    public void completed(Outcome outcome, Explanation explanation) {
        answer(outcome, Explaining.headers(explanation));
    }

    private void answer(Outcome outcome, HeaderLines why) {
        int written = asked.operation() == Operation.PUT ? 201 : 202;
        HttpResponse whole = OutcomeAnswers.response(outcome, written, why);
        respond(
                range != null && outcome instanceof Outcome.Found(var entry)
                        ? range.cut(whole, entry.timestamp())
                        : whole);
    }

    void respond(HttpResponse response) {
        if (asked.operation() == Operation.GET) {
            exchange.respond(response, room);
        } else {
            // One log thread completes a group of writes; sending a hundred answers would take it
            // longer than the disk took: the selectors share that.
            exchange.respondFromSelector(response);
        }
        observer.answered(
                asked.operation(),
                response.status(),
                asked.spec(),
                ticker.nanos() - asked.startedNanos());
    }
}
