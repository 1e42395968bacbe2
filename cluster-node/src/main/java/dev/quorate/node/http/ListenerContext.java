package dev.quorate.node.http;

import dev.quorate.node.memory.ByteBudget;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What all connections of a listener share. */
final class ListenerContext {

    final HttpLimits limits;
    final HttpHandler handler;
    final ByteBudget inputBudget;
    final ByteBudget outputBudget;
    final ListenerStatistics statistics = new ListenerStatistics();
    final Set<HttpConnection> connections = ConcurrentHashMap.newKeySet();

    /** When deadlines were last looked at: the time of everything that happens until the next. */
    volatile long sweptAtNanos;

    /** Every answer from now on is the last of its connection. */
    volatile boolean draining;

    ListenerContext(HttpLimits limits, HttpHandler handler, ByteBudget memory) {
        this.limits = limits;
        this.handler = handler;
        inputBudget = memory.part(limits.inputBudgetBytes());
        outputBudget = memory.part(limits.outputBudgetBytes());
    }
}
