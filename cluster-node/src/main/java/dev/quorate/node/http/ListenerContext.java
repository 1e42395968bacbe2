package dev.quorate.node.http;

import dev.quorate.node.runtime.ByteBudget;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What all connections of a listener share. */
final class ListenerContext {

    final HttpLimits limits;
    final HttpHandler handler;
    final BodyRoom bodies;

    /** What the heads take that do not come in one piece. */
    final ByteBudget heads;

    final WaitingRoom waitingAnswers;
    final ByteBudget outputBudget;

    /** Those of streamed answers, with half of the budget: the rest is for others. */
    final StreamPlaces places;

    final ListenerStatistics statistics = new ListenerStatistics();
    final Set<OpenConnection> connections = ConcurrentHashMap.newKeySet();
    final AddressCounts addresses;

    /** Null if clients have nothing to prove. */
    final @Nullable Strangers strangers;

    /** When deadlines were last looked at: the time of everything that happens until the next. */
    volatile long sweptAtNanos;

    /** Every answer from now on is the last of its connection. */
    volatile boolean draining;

    /** Those who stand still have given way by then. */
    private static final long SHORT_NANOS = 3_000_000_000L;

    // Of the thread that sweeps.
    private long bodiesShortUntilNanos;
    private long answersShortUntilNanos;
    private long headsShortUntilNanos;

    private volatile Pressure bodyPressure = Pressure.NONE;
    private volatile Pressure headPressure = Pressure.NONE;
    private volatile Pressure answerPressure = Pressure.NONE;

    ListenerContext(HttpLimits limits, HttpHandler handler, ByteBudget memory, long nowNanos) {
        sweptAtNanos = nowNanos;
        bodiesShortUntilNanos = nowNanos;
        answersShortUntilNanos = nowNanos;
        headsShortUntilNanos = nowNanos;
        this.limits = limits;
        this.handler = handler;
        ConnectionLimits most = limits.connections();
        addresses = new AddressCounts(most.perAddress());
        strangers = most.strangers() == 0 ? null : new Strangers(most.strangers());
        HttpBudgets budgets = limits.budgets();
        bodies =
                new BodyRoom(
                        new ByteBudget(budgets.smallBodyBytes()), memory.part(budgets.bodyBytes()));
        heads = new ByteBudget(budgets.headBytes());
        outputBudget = memory.part(limits.outputBudgetBytes());
        waitingAnswers =
                new WaitingRoom(
                        new ByteBudget(budgets.waitingBytes()),
                        outputBudget.part(budgets.answerBytes() / 2));
        places = new StreamPlaces(outputBudget.part(limits.outputBudgetBytes() / 2));
    }

    /** At each sweep, before the connections are judged. */
    void swept(long nowNanos) {
        sweptAtNanos = nowNanos;
        if (bodies.common.takeRefused()) {
            bodiesShortUntilNanos = nowNanos + SHORT_NANOS;
        }
        if (waitingAnswers.common.takeRefused()) {
            answersShortUntilNanos = nowNanos + SHORT_NANOS;
        }
        if (heads.takeRefused()) {
            headsShortUntilNanos = nowNanos + SHORT_NANOS;
        }
        // Small bodies have the common budget too: it tells for both.
        bodyPressure =
                pressure(
                        nowNanos - bodiesShortUntilNanos < 0,
                        isHalf(bodies.common, limits.budgets().bodyBytes()));
        headPressure =
                pressure(
                        nowNanos - headsShortUntilNanos < 0,
                        isHalf(heads, limits.budgets().headBytes()));
        answerPressure =
                pressure(
                        nowNanos - answersShortUntilNanos < 0,
                        isHalf(outputBudget, limits.budgets().answerBytes())
                                || isHalf(waitingAnswers.own, limits.budgets().waitingBytes()));
    }

    private static boolean isHalf(ByteBudget budget, long limitBytes) {
        return budget.usedBytes() > limitBytes / 2;
    }

    private static Pressure pressure(boolean isShort, boolean isCrowded) {
        return isShort ? Pressure.SHORT : isCrowded ? Pressure.CROWDED : Pressure.NONE;
    }

    /** On slow senders of bodies, as of the last sweep. */
    Pressure bodyPressure() {
        return bodyPressure;
    }

    /** On slow senders of heads. */
    Pressure headPressure() {
        return headPressure;
    }

    /** On slow readers of answers. */
    Pressure answerPressure() {
        return answerPressure;
    }

    /** What a request is to be answered instead of reading its body; null to read it. */
    @Nullable HttpResponse refusal(RequestHead head) {
        return handler.refusal(head);
    }
}
