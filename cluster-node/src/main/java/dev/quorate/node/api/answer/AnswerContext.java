package dev.quorate.node.api.answer;

import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.runtime.Ticker;
import org.jspecify.annotations.Nullable;

/** What all answers of a node need: who counts them, who logs them, and a clock. */
public record AnswerContext(ClientObserver observer, OperationLog log, Ticker ticker) {

    /** The trace that an answer shows: of a failure one is made where the client has sent none. */
    public @Nullable TraceParent shown(Outcome outcome, @Nullable TraceParent given) {
        return given == null && OperationLog.isFailure(outcome) ? log.newTrace() : given;
    }

    /** Logs an operation, and counts it as one that is logged, or would be were there fewer. */
    public void write(OperationLog.Line line) {
        observer.slow(line.operation(), log.write(line));
    }
}
