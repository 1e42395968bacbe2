package dev.quorate.node.api;

import dev.quorate.node.runtime.Ticker;

/** What all answers of a node need: who counts them, who logs them, and a clock. */
record AnswerContext(ClientObserver observer, OperationLog log, Ticker ticker) {

    /** Logs an operation, and counts it as one that is logged, or would be were there fewer. */
    void write(OperationLog.Line line) {
        observer.slow(line.operation(), log.write(line));
    }
}
