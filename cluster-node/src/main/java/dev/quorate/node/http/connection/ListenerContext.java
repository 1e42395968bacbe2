package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.budget.AddressCounts;
import dev.quorate.node.http.budget.BodyRoom;
import dev.quorate.node.http.budget.ConnectionLimits;
import dev.quorate.node.http.budget.HttpBudgets;
import dev.quorate.node.http.budget.HttpDeadlines;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.budget.OpenConnection;
import dev.quorate.node.http.budget.Pressure;
import dev.quorate.node.http.budget.Strangers;
import dev.quorate.node.http.budget.StreamPlaces;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.RoomQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The shared parts of a listener's connections. */
final class ListenerContext {

    final HttpLimits limits;
    final HttpHandler handler;
    final BodyRoom bodies;

    /** Connections that wait for room for large bodies. */
    final RoomQueue bodyQueue;

    /** Bytes of large answers that were reserved elsewhere before they arrived. */
    final AtomicLong heldAnswerBytes = new AtomicLong();

    final ByteBudget heads;

    /** Half of {@link #heads}: input read from large bodies before they have room. */
    final ByteBudget beforeRoom;

    /** Memory for small answers that clients have not read. */
    final WaitingRoom waitingAnswers;

    final ByteBudget outputBudget;

    /** The places of streamed answers, with half of the budget: the rest is for other answers. */
    final StreamPlaces places;

    final ListenerStatistics statistics = new ListenerStatistics();
    final Set<OpenConnection> connections = ConcurrentHashMap.newKeySet();
    final AddressCounts addresses;

    /** Null without authentication. */
    final @Nullable Strangers strangers;

    final @Nullable TlsPort tls;

    /**
     * When deadlines were last checked: the clock for all times until the next sweep. While the
     * listener drains, the clock advances more often.
     */
    volatile long sweptAtNanos;

    /** Whether each connection closes after its next answer. */
    volatile boolean draining;

    // Written by the sweeping thread.
    private final Shortage ofBodies;
    private final Shortage ofHeads;
    private final Shortage ofAnswers;
    private volatile boolean bodiesWaited;

    /**
     * @param common used when the other budget is full
     */
    record WaitingRoom(ByteBudget own, ByteBudget common) {}

    ListenerContext(
            ListeningPort port,
            HttpLimits limits,
            HttpHandler handler,
            ByteBudget memory,
            long nowNanos) {
        sweptAtNanos = nowNanos;
        ofBodies = new Shortage(nowNanos);
        ofHeads = new Shortage(nowNanos);
        ofAnswers = new Shortage(nowNanos);
        this.limits = limits;
        this.handler = handler;
        ConnectionLimits most = limits.connections();
        addresses = new AddressCounts(most.perAddress());
        strangers = most.strangers() == 0 ? null : new Strangers(most.strangers());
        HttpBudgets budgets = limits.budgets();
        bodies =
                new BodyRoom(
                        new ByteBudget(budgets.smallBodyBytes()), memory.part(budgets.bodyBytes()));
        bodyQueue = new RoomQueue(bodies.common());
        heads = new ByteBudget(budgets.headBytes());
        beforeRoom = heads.part(budgets.headBytes() / 2);
        outputBudget = memory.part(limits.budgets().answerBytes());
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
                                statistics,
                                () -> sweptAtNanos);
        places = new StreamPlaces(outputBudget.part(limits.budgets().answerBytes() / 2));
    }

    /** Called at each sweep, before the connections are checked. */
    void swept(long nowNanos) {
        sweptAtNanos = nowNanos;
        bodyQueue.tick(HttpDeadlines.SWEEP, limits.deadlines().room());
        bodiesWaited = bodyQueue.isWaitedFor();
        // Small bodies use the common budget too: it represents both.
        ofBodies.update(
                nowNanos,
                bodies.common().takeRefused(),
                isHalf(bodies.common(), limits.budgets().bodyBytes()));
        boolean isRefusedBeforeRoom = beforeRoom.takeRefused();
        ofHeads.update(
                nowNanos,
                heads.takeRefused() || isRefusedBeforeRoom,
                isHalf(heads, limits.budgets().headBytes()));
        ofAnswers.update(
                nowNanos,
                waitingAnswers.common().takeRefused() || outputBudget.isWaitedFor(),
                isHalf(outputBudget, limits.budgets().answerBytes())
                        || isHalf(waitingAnswers.own(), limits.budgets().waitingBytes()));
    }

    private static boolean isHalf(ByteBudget budget, long limitBytes) {
        return budget.usedBytes() > limitBytes / 2;
    }

    /** How urgently one kind of memory is needed. */
    private static final class Shortage {

        /** After this time slow clients have released their memory. */
        private static final long SHORT_NANOS = 3_000_000_000L;

        private long shortUntilNanos;
        private volatile Pressure pressure = Pressure.NONE;

        Shortage(long nowNanos) {
            shortUntilNanos = nowNanos;
        }

        void update(long nowNanos, boolean isRefused, boolean isCrowded) {
            if (isRefused) {
                shortUntilNanos = nowNanos + SHORT_NANOS;
            }
            boolean isShort = nowNanos - shortUntilNanos < 0;
            pressure = isShort ? Pressure.SHORT : isCrowded ? Pressure.CROWDED : Pressure.NONE;
        }
    }

    /** The pressure on slow senders of bodies, as of the last sweep. */
    Pressure bodyPressure() {
        return ofBodies.pressure;
    }

    /** The pressure on slow senders of bodies that have the room for which others wait. */
    Pressure grantedBodyPressure() {
        return bodiesWaited ? Pressure.WAITED : ofBodies.pressure;
    }

    Pressure headPressure() {
        return ofHeads.pressure;
    }

    Pressure answerPressure() {
        return ofAnswers.pressure;
    }
}
