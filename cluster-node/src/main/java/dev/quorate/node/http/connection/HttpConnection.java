package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.DrainRule;
import dev.quorate.node.http.budget.StreamPlaces;
import dev.quorate.node.http.connection.ConnectionState.Step;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.connection.ResponseStream.Ending;
import dev.quorate.node.http.parse.HttpFailure;
import dev.quorate.router.runtime.HeldRoom;
import java.util.List;
import one.nio.net.Session;
import one.nio.net.Socket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection. A request passes these steps:
 *
 * <ol>
 *   <li>Read: when the socket is readable, the selector's thread reads it ({@link InputDriver}).
 *   <li>Parse: that thread becomes the <i>driver</i>, which feeds the parser.
 *   <li>Handle: the driver calls the handler. It stops if the handler returns without an answer.
 *   <li>Answer: any thread adds the answer to the output ({@link AnswerQueue}).
 *   <li>Send: that thread sends it, or the driver if there is one ({@link ConnectionCore}).
 *   <li>Follow up: {@link #runSteps} parses pipelined input, pulls a stream, or closes.
 *   <li>Close: after the last answer the output ends. Input is discarded until the client closes
 *       the connection or a deadline passes ({@link #sweep}).
 * </ol>
 *
 * <p>{@link ConnectionState} and {@link ConnectionTimes} decide; the others act. Invariants:
 *
 * <ol>
 *   <li>There is at most one driver: the selector's thread, or the thread that takes the steps
 *       after an answer. Only the driver uses the parser; without a driver, the lock guards it.
 *   <li>The lock guards everything else, including each call of the socket. Without it, a thread
 *       could use a descriptor that was closed and now belongs to another connection.
 *   <li>Nothing blocks under the lock. Handlers and sources of streams are called without it.
 *   <li>Only the selector's thread, the driver and the handler wait for the lock. Other threads,
 *       which serve all clients, hand their work to the selector's thread if the lock is taken.
 *   <li>At most one request is in flight, and nothing is read meanwhile: pipelined requests wait in
 *       the client's and the kernel's memory, except for what arrived with the request.
 * </ol>
 *
 * <p>Two simpler designs were rejected. If the lock were held while the handler runs, no other
 * thread could answer or close meanwhile. If each thread wrote to the socket, answers would mix.
 */
final class HttpConnection extends Session
        implements Exchange.Connection, ResponseStream.Receiver, TlsWire.Owner {

    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

    private final ListenerContext context;

    private final String address;

    private final ConnectionCore core;
    private final ConnectionCore.Lock lock;
    private final ConnectionState state;
    private final AnswerQueue answers;
    private final InputDriver input;

    /** Written with the lock held. */
    private volatile boolean isClosed;

    private boolean isTakingSteps;

    HttpConnection(Socket socket, ListenerContext context, String address, SelectorTasks tasks) {
        super(socket);
        this.context = context;
        this.address = address;
        core = new ConnectionCore(this, context, tasks, this);
        lock = core.lock;
        state = core.state;
        answers = new AnswerQueue(core);
        input = new InputDriver(core, answers, this, this::runSteps);
    }

    // ---- Events of the socket and of TLS.

    /** Not synchronized, unlike the overridden method: the handler is called without a lock. */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void process(byte[] buffer) {
        int ready = events;
        core.tasks.serving();
        if ((ready & WRITEABLE) != 0) {
            try (var _ = lock.held()) {
                core.sendAndListen();
            }
            runSteps();
        }
        if ((ready & (READABLE | CLOSING)) != 0) {
            input.readInput(buffer, (ready & CLOSING) != 0);
            runSteps();
        }
    }

    @Override
    public void established() {
        if (context.limits.connections().areProvedByTls()) {
            input.noteAuthenticated();
        }
    }

    @Override
    public void resume() {
        var _ = core.tasks.later(input::readPlanned);
    }

    @Override
    public boolean isGone() {
        if (!lock.tryLock()) {
            return false;
        }
        try (lock) {
            return state.isOver() || SocketCalls.hasEnded(socket);
        }
    }

    @Override
    public void dropped() {
        change(state::fail);
    }

    // ---- Answering, from any thread.

    @Override
    public void respondFromSelector(Exchange exchange, HttpResponse response) {
        core.tasks.execute(() -> respond(exchange, response, HeldRoom.NONE));
    }

    @Override
    public void respond(Exchange exchange, HttpResponse response, HeldRoom room) {
        if (!lock.tryLock() && core.handOver(() -> respond(exchange, response, room))) {
            return;
        }
        try (lock) {
            if (answers.add(exchange, response, room) && !state.isDriven()) {
                core.sendAndListen(); // The driver would send it itself.
            }
        }
        runSteps();
    }

    @Override
    public void upgrade(Exchange exchange, HttpRequest request) {
        input.upgrade(exchange, request);
    }

    /** Called without the lock, as is {@link #acquirePlaceForAddress}. */
    @Override
    public boolean acquirePlace(Exchange exchange) {
        boolean isTaken = context.places.acquire(this, context.sweptAtNanos);
        notePlace(exchange, isTaken ? StreamPlaces.Place.TAKEN : StreamPlaces.Place.NONE);
        return isTaken;
    }

    @Override
    public StreamPlaces.Place acquirePlaceForAddress(Exchange exchange, int most) {
        StreamPlaces.Place place =
                context.places.acquireForAddress(this, most, context.sweptAtNanos);
        notePlace(exchange, place);
        return place;
    }

    private void notePlace(Exchange exchange, StreamPlaces.Place place) {
        if (place == StreamPlaces.Place.NONE) {
            context.statistics.reject(Rejection.BYTES);
        } else if (place == StreamPlaces.Place.TAKEN) {
            try (var _ = lock.held()) {
                exchange.hasPlace = true;
                if (state.isClosed()) {
                    exchange.releasePlace(context.places); // The answer is dropped.
                }
            }
        }
    }

    @Override
    public void stream(Exchange exchange, HttpResponse head, StreamSource source) {
        ResponseStream stream = new ResponseStream(this, source, !exchange.isHttp10);
        boolean isStarted;
        if (!lock.tryLock() && core.handOver(() -> stream(exchange, head, source))) {
            return;
        }
        try (lock) {
            isStarted = answers.addStream(exchange, head, stream);
            if (isStarted) {
                SocketCalls.boundUnsent(socket, ResponseStream.UNSENT_BYTES);
            }
            if (!state.isDriven()) {
                core.sendAndListen();
            }
        }
        if (!isStarted) {
            source.close();
        }
        runSteps();
    }

    @Override
    public void delivered(ResponseStream stream, List<byte[]> pieces, Ending ending) {
        boolean isOver;
        if (!lock.tryLock() && core.handOver(() -> delivered(stream, pieces, ending))) {
            return;
        }
        try (lock) {
            if (!answers.takesDelivery(stream)) {
                return;
            }
            isOver = answers.addDelivery(stream, pieces, ending);
            core.sendAndListen();
        }
        if (isOver) {
            stream.source.close();
        }
        runSteps();
    }

    // ---- The steps that follow, by one thread at a time.

    /** Makes a change and takes the steps that follow from it, now or soon. */
    private void change(Runnable change) {
        if (lock.tryLock() || !core.handOver(() -> change(change))) {
            try (lock) {
                change.run();
            }
            runSteps();
        }
    }

    /**
     * Takes the pending steps. Called without the lock after every change; if another thread is in
     * this method, it sees the change.
     */
    private void runSteps() {
        runSteps(true);
    }

    private void runSteps(boolean begins) {
        boolean isFirst = begins;
        while (true) {
            Step step;
            byte[] waiting = null;
            ResponseStream stream = null;
            boolean isStillFirst = isFirst;
            if (!lock.tryLock() && core.handOver(() -> runSteps(isStillFirst))) {
                return;
            }
            try (lock) {
                if (isFirst && isTakingSteps) {
                    return;
                }
                step = state.next(core.output.unsentBytes(), core.waiting.isPresent());
                isTakingSteps = step != Step.NONE;
                if (step == Step.DRIVE) {
                    waiting = core.waiting.removeBytes();
                } else if (step == Step.PULL) {
                    stream = answers.stream();
                }
            }
            if (step == Step.NONE) {
                return;
            }
            isFirst = false;
            if (waiting != null) {
                input.drive(waiting, core.waiting.from(), waiting.length);
            } else if (stream != null) {
                stream.pull();
            } else {
                close();
            }
        }
    }

    // ---- Deadlines, and the end.

    @Override
    public void sweep(long nowNanos) {
        change(
                () -> {
                    switch (state.sweep(nowNanos, core.times.hasLingered(nowNanos))) {
                        case LEAVE -> {}
                        case REJECT -> context.statistics.reject(Rejection.DEADLINE);
                        case JUDGE -> endIfLate(nowNanos);
                        case JUDGE_WAIT -> input.refuseIfRoomIsLate(nowNanos);
                    }
                });
    }

    private void endIfLate(long nowNanos) {
        if (!core.output.isEmpty()) {
            core.sendAndListen(); // The kernel does not report a little room.
        }
        if (state.isOver()) {
            return;
        }
        boolean isSent = core.output.isEmpty();
        boolean isLong = state.isStreaming() || answers.whenGone() != null;
        if (isLong && isSent && SocketCalls.hasEnded(socket)) {
            state.fail(); // No write would detect it: the source may search for long.
            return;
        }
        ConnectionTimes.Verdict verdict =
                state.isBeforeRoom() && isSent
                        ? core.times.ofBody(nowNanos, 0, context.headPressure())
                        : core.times.verdict(nowNanos, !isSent, input.awaitingParser(), context);
        switch (verdict) {
            case IN_TIME -> {}
            case IDLE -> state.fail();
            case STALLED -> core.reset(Rejection.DEADLINE);
            case REQUEST_LATE ->
                    input.refuse(new HttpFailure(408, "The request took too long to arrive."));
        }
    }

    @Override
    public long stoodNanos(long nowNanos) {
        if (!lock.tryLock()) {
            return 0;
        }
        try (lock) {
            return state.isStreaming() ? core.times.stoodNanos(nowNanos) : 0;
        }
    }

    @Override
    public void yieldPlace(long nowNanos) {
        change(
                () -> {
                    if (stoodNanos(nowNanos) >= StreamPlaces.PATIENCE.toNanos()) {
                        core.reset(Rejection.DEADLINE);
                    }
                });
    }

    @Override
    public DrainRule.Connection drains(boolean isLate) {
        if (!lock.tryLock()) {
            return new DrainRule.Connection(isLate, DrainRule.Use.ANSWERING, context.sweptAtNanos);
        }
        try (lock) {
            return new DrainRule.Connection(isLate, use(), core.times.activeAtNanos());
        }
    }

    private DrainRule.Use use() {
        if (state.hasEnded()) {
            return DrainRule.Use.ENDED;
        }
        boolean isIdle = state.isIdle(core.output.unsentBytes(), core.waiting.isPresent());
        return isIdle && !core.times.isPartial() ? DrainRule.Use.OPEN : DrainRule.Use.ANSWERING;
    }

    @Override
    public void handleException(Throwable e) {
        LOG.error("A connection failed", e);
        close();
    }

    @Override
    public void reset() {
        if (!lock.tryLock() && core.handOver(this::reset)) {
            return;
        }
        try (lock) {
            if (!state.isClosed()) {
                SocketCalls.reset(socket);
            }
        }
        close();
    }

    /**
     * Not synchronized, unlike the overridden method: a stream's source is closed without a lock.
     */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void close() {
        Runnable dropped;
        if (!lock.tryLock() && core.handOver(this::close)) {
            return;
        }
        try (lock) {
            if (!state.close()) {
                return;
            }
            isClosed = true;
            super.close();
            dropped = answers.close();
            input.drop();
        }
        var _ = context.bodyQueue.remove(input);
        context.connections.remove(this);
        context.addresses.remove(address);
        if (context.strangers != null) {
            context.strangers.remove(this);
        }
        dropped.run();
    }

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public String address() {
        return address;
    }
}
