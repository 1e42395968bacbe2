package dev.quorate.node.http;

import dev.quorate.node.memory.ByteBudget;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What all connections of a listener share. */
final class ListenerContext {

    final HttpLimits limits;
    final HttpHandler handler;
    final ByteBudget inputBudget;
    final ByteBudget outputBudget;

    /** Those of streamed answers, with half of the budget: the rest is for others. */
    final StreamPlaces places;

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
        places = new StreamPlaces(outputBudget.part(limits.outputBudgetBytes() / 2));
    }

    /** Whether slow senders of bodies have to give way. */
    boolean isInputCrowded() {
        return inputBudget.usedBytes() > limits.inputBudgetBytes() / 2;
    }

    /** Whether slow readers of answers have to give way. */
    boolean isOutputCrowded() {
        return outputBudget.usedBytes() > limits.outputBudgetBytes() / 2;
    }

    /** What a request is to be answered instead of reading its body; null to read it. */
    @Nullable HttpResponse refusal(RequestHead head) {
        return handler.refusal(head.method(), head.path());
    }
}
