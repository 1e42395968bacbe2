package dev.quorate.node.api.answer;

import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.runtime.Ticker;
import org.jspecify.annotations.Nullable;

/** The context of all answers of a node: metrics, log and clock. */
public record AnswerContext(ClientObserver observer, OperationLog log, Ticker ticker) {

    /** The trace that an answer shows; a failure gets a new one if the client sent none. */
    public @Nullable TraceParent shown(Outcome outcome, @Nullable TraceParent given) {
        return given == null && OperationLog.isFailure(outcome) ? log.newTrace() : given;
    }

    /** Logs an operation unless there are too many, and counts it either way. */
    public void write(OperationLog.Line line) {
        observer.slow(line.operation(), log.write(line));
    }
}
