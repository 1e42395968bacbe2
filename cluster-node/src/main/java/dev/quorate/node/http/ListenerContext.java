package dev.quorate.node.http;

import dev.quorate.node.runtime.ByteBudget;
import dev.quorate.node.runtime.RoomQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The shared parts of a listener's connections. */
final class ListenerContext {

    final HttpLimits limits;
    final HttpHandler handler;
    final BodyRoom bodies;

    /** Those who wait for room for large bodies. */
    final RoomQueue bodyQueue;

    /** Bytes of large answers that were reserved elsewhere before they came. */
    final AtomicLong heldAnswerBytes = new AtomicLong();

    /** The budget of unfinished heads. */
    final ByteBudget heads;

    /** A half of that: what was read of large bodies before they have room. */
    final ByteBudget beforeRoom;

    final WaitingRoom waitingAnswers;
    final ByteBudget outputBudget;

    /** The places of streamed answers, with half of the budget: the rest is for other answers. */
    final StreamPlaces places;

    final ListenerStatistics statistics = new ListenerStatistics();
    final Set<OpenConnection> connections = ConcurrentHashMap.newKeySet();
    final AddressCounts addresses;

    /** Null without authentication. */
    final @Nullable Strangers strangers;

    /** Null without TLS. */
    final @Nullable TlsPort tls;

    /**
     * When deadlines were last checked: the clock of everything until the next sweep. While the
     * listener drains it goes on more often.
     */
    volatile long sweptAtNanos;

    /** Whether each connection closes after its next answer. */
    volatile boolean draining;

    /** By then slow clients have released their memory. */
    private static final long SHORT_NANOS = 3_000_000_000L;

    // Used by the sweeping thread only.
    private long bodiesShortUntilNanos;
    private long answersShortUntilNanos;
    private long headsShortUntilNanos;

    private volatile boolean bodiesWaited;
    private volatile Pressure bodyPressure = Pressure.NONE;
    private volatile Pressure headPressure = Pressure.NONE;
    private volatile Pressure answerPressure = Pressure.NONE;

    ListenerContext(
            ListeningPort port,
            HttpLimits limits,
            HttpHandler handler,
            ByteBudget memory,
            long nowNanos) {
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
        bodyQueue = new RoomQueue(bodies.common);
        heads = new ByteBudget(budgets.headBytes());
        beforeRoom = heads.part(budgets.headBytes() / 2);
        outputBudget = memory.part(limits.outputBudgetBytes());
        waitingAnswers =
                new WaitingRoom(
                        new ByteBudget(budgets.waitingBytes()),
                        outputBudget.part(budgets.answerBytes() / 2));
        tls =
                port.engines() == null
                        ? null
                        : new TlsPort(
                                port.name(),
                                port.engines(),
                                heads,
                                outputBudget,
                                () -> sweptAtNanos);
        places = new StreamPlaces(outputBudget.part(limits.outputBudgetBytes() / 2));
    }

    /** Called at each sweep, before the connections are checked. */
    void swept(long nowNanos) {
        sweptAtNanos = nowNanos;
        bodyQueue.tick(HttpDeadlines.SWEEP, limits.deadlines().room());
        bodiesWaited = bodyQueue.isWaitedFor();
        if (bodies.common.takeRefused()) {
            bodiesShortUntilNanos = nowNanos + SHORT_NANOS;
        }
        boolean isAnswerRefused = waitingAnswers.common.takeRefused();
        if (isAnswerRefused || outputBudget.isWaitedFor()) {
            answersShortUntilNanos = nowNanos + SHORT_NANOS;
        }
        boolean isRefusedBeforeRoom = beforeRoom.takeRefused();
        if (heads.takeRefused() || isRefusedBeforeRoom) {
            headsShortUntilNanos = nowNanos + SHORT_NANOS;
        }
        // Small bodies use the common budget too: it represents both.
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

    /** On slow senders of bodies that have the room for which others wait. */
    Pressure grantedBodyPressure() {
        return bodiesWaited ? Pressure.WAITED : bodyPressure;
    }

    /** On slow senders of heads. */
    Pressure headPressure() {
        return headPressure;
    }

    /** On slow readers of answers. */
    Pressure answerPressure() {
        return answerPressure;
    }

    /** The refusal of a request before its body is read; null to read it. */
    @Nullable HttpResponse refusal(RequestHead head) {
        return handler.refusal(head);
    }
}
