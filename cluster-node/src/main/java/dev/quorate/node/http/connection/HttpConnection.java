package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.budget.DrainRule;
import dev.quorate.node.http.budget.Strangers;
import dev.quorate.node.http.budget.StreamPlaces;
import dev.quorate.node.http.budget.WaitingInput;
import dev.quorate.node.http.connection.ConnectionState.Protocol;
import dev.quorate.node.http.connection.ConnectionState.Step;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.connection.ResponseStream.Ending;
import dev.quorate.node.http.parse.BodyParser;
import dev.quorate.node.http.parse.HttpFailure;
import dev.quorate.node.http.parse.RequestHead;
import dev.quorate.node.http.parse.RequestParser;
import dev.quorate.router.runtime.HeldRoom;
import dev.quorate.router.runtime.RoomQueue;
import java.io.IOException;
import java.util.List;
import javax.net.ssl.SSLException;
import one.nio.net.Session;
import one.nio.net.Socket;
import one.nio.net.SocketClosedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: reads requests, one in flight at a time, and sends their answers in
 * order. {@link ConnectionState} decides the next step; this class locks, reads, writes and closes.
 *
 * <p>Input has one <i>driver</i> at a time: the selector thread that has just read, or the thread
 * that answered a request behind which others were waiting. The driver owns the parser and calls
 * the handler without a lock held. Everything else is guarded by {@link #lock}, under which the
 * socket is read and written (never blocking) and closed, because a descriptor that is closed while
 * another thread reads it may belong to another connection by then.
 *
 * <p>While a request is in flight nothing is read: pipelined requests wait in the client's and the
 * kernel's memory, except for what came with the request.
 */
final class HttpConnection extends Session
        implements Exchange.Connection, ResponseStream.Receiver, RoomQueue.Waiter, TlsWire.Owner {

    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

    /**
     * How many bytes of a request are read at first while large bodies wait for room: the part of a
     * large body that was read remains in memory while it waits.
     */
    private static final int FIRST_BYTES = 8 * 1024;

    private final ListenerContext context;
    private final Wire wire;

    /** The address to which this connection counts. */
    private final String address;

    /** The tasks of the selector that serves this; null until it is registered with a selector. */
    private @Nullable SelectorTasks selectorTasks;

    /** Owned by the driver. */
    private final RequestParser parser;

    /** Guards the fields that follow. */
    private final ConnectionLock lock = new ConnectionLock();

    private final ConnectionState state;
    private final Output output;
    private final WaitingInput waiting;
    private final ConnectionTimes times;
    private final AnswerQueue answers;

    /** The bytes of room for the large body that waits for room, or asks for it. */
    private long roomBytes;

    /** Whether a read is planned that no event of the socket triggers. */
    private boolean isReadPlanned;

    /** Written with the lock held. */
    private volatile boolean isClosed;

    /** Whether a thread is in {@link #work}, which then takes the steps for all others. */
    private boolean working;

    HttpConnection(Socket socket, ListenerContext context, String address) {
        super(socket);
        this.context = context;
        this.address = address;
        long provingNanos = context.limits.connections().provingTime().toNanos();
        state =
                context.strangers == null
                        ? ConnectionState.ofAnybody()
                        : ConnectionState.ofStranger(context.sweptAtNanos + provingNanos);
        parser =
                new RequestParser(
                        context.limits, context.bodies, context.heads, this::refusal, true);
        wire = context.tls == null ? new PlainWire(socket) : new TlsWire(socket, context.tls, this);
        output = new Output(context, wire);
        waiting = new WaitingInput(context.bodies, context.beforeRoom);
        times = new ConnectionTimes(context.limits.deadlines(), context.sweptAtNanos);
        answers = new AnswerQueue(context, state, output, waiting, times);
    }

    /** Sets the tasks of the selector. Called before anything is read. */
    void servedBy(SelectorTasks tasks) {
        selectorTasks = tasks;
    }

    // ---- The lock.

    /**
     * Hands work to the selector's thread, because another thread has the lock. A client may cause
     * that, and the threads of the timer and of completed operations serve all clients.
     *
     * @return false if that thread has ended: then the caller has the lock
     */
    private boolean handsOver(Runnable rest) {
        SelectorTasks tasks = selectorTasks;
        if (tasks != null && tasks.later(rest)) {
            return true;
        }
        lock.lock(); // The listener is closed.
        return false;
    }

    /** Makes a change and takes the steps that follow from it, now or soon. */
    private void exclusively(Runnable change) {
        if (lock.tryLock() || !handsOver(() -> exclusively(change))) {
            try (lock) {
                change.run();
            }
            work();
        }
    }

    // ---- Reading, by the selector.

    /** Not synchronized, unlike the overridden method: the handler is called without a lock. */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void process(byte[] buffer) {
        int ready = events;
        SelectorTasks tasks = selectorTasks;
        if (tasks != null) {
            tasks.serving();
        }
        if ((ready & WRITEABLE) != 0) {
            try (var _ = lock.held()) {
                sendAndListen();
            }
            work();
        }
        if ((ready & (READABLE | CLOSING)) != 0) {
            readable(buffer, (ready & CLOSING) != 0);
        }
    }

    private void readable(byte[] buffer, boolean isClosing) {
        int count = 0;
        boolean asks = false;
        try (var _ = lock.held()) {
            switch (state.readable(output.unsentBytes(), waiting.isThere())) {
                case PARSE -> {
                    if (isClosing && wire.isPaused()) {
                        state.fail(); // Otherwise it would wake the selector again and again.
                    } else {
                        count = read(buffer);
                    }
                }
                case DISCARD -> discard(buffer);
                case ASK_FOR_ROOM -> {
                    asks = !isClosing;
                    if (isClosing) {
                        state.fail();
                    } else {
                        sendAndListen();
                    }
                }
                case WAIT -> {
                    if (isClosing) {
                        state.fail();
                    } else {
                        // A client that vanished silently is detected by writing to it.
                        sendAndListen();
                    }
                }
            }
        }
        if (count > 0) {
            context.statistics.bytesRead.add(count);
            drive(buffer, 0, count);
        } else if (asks) {
            context.bodyQueue.join(this);
        }
        work();
    }

    /** Reads input to parse; 0 if there is none. */
    private int read(byte[] buffer) {
        try {
            boolean isFirst = context.bodyQueue.isWaitedFor() && parser.isAtRest();
            int most = isFirst ? Math.min(FIRST_BYTES, buffer.length) : buffer.length;
            int count = wire.read(buffer, most);
            if (state.received(count)) {
                return count;
            }
            if (context.tls != null) {
                sendAndListen();
            }
        } catch (SocketClosedException e) {
            endOfInput();
        } catch (TlsWire.PlainInputException e) {
            refusePlainInput();
        } catch (SSLException e) {
            refuseHandshake(e);
        } catch (IOException e) {
            state.fail();
        }
        return 0;
    }

    private void discard(byte[] buffer) {
        try {
            var _ = state.received(wire.discard(buffer));
        } catch (IOException e) {
            state.fail();
        }
    }

    /** Refuses a client that does not use TLS, in plain text, which it can read. */
    private void refusePlainInput() {
        refuse(HttpFailure.malformed("This port takes TLS alone: use https://."));
        sendAndListen();
    }

    /** Refuses a failed handshake: the client gets an alert, and time to read it. */
    private void refuseHandshake(SSLException why) {
        if (context.tls != null) {
            context.tls.noteFailure(getRemoteHost(), why, context.sweptAtNanos);
        }
        if (why instanceof TlsWire.UselessRecordsException) {
            context.statistics.reject(Rejection.TLS_RECORDS);
        }
        parser.drop();
        state.refused();
        sendAndListen();
    }

    @Override
    public void established() {
        if (context.limits.connections().areProvedByTls()) {
            state.proved();
            if (context.strangers != null) {
                context.strangers.remove(this);
            }
        }
    }

    @Override
    public void resume() {
        SelectorTasks tasks = selectorTasks;
        if (tasks != null) {
            var _ = tasks.later(this::readMore);
        }
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
        exclusively(state::fail);
    }

    private void readMore() {
        try (var _ = lock.held()) {
            isReadPlanned = false;
        }
        readable(TlsWire.buffer(), false);
    }

    private void endOfInput() {
        if (state.endOfInput(!parser.isAtRest(), output.unsentBytes())) {
            parser.drop();
            refuse(HttpFailure.malformed("The request ends in the middle."));
        }
        sendAndListen();
    }

    // ---- Parsing and handling, by the driver.

    /** The refusal of a body, or null. A client whose body is read has authenticated if it must. */
    private @Nullable HttpResponse refusal(RequestHead head) {
        HttpResponse refusal = context.refusal(head);
        if (refusal == null) {
            proved();
        }
        return refusal;
    }

    private void proved() {
        Strangers strangers = context.strangers;
        if (strangers != null) {
            try (var _ = lock.held()) {
                state.proved();
            }
            strangers.remove(this);
        }
    }

    /** Parses and handles requests until the input is used up or a request remains in flight. */
    private void drive(byte[] input, int from, int to) {
        int at = from;
        boolean goesOn = true;
        while (goesOn) {
            RequestParser.Event event = parser.feed(input, at, to);
            at = parser.position();
            goesOn =
                    switch (event) {
                        case REQUEST -> handle() && goOn(input, at, to);
                        case CONTINUE -> sendContinue();
                        case ROOM -> takeRoom(to == input.length) || stopBeforeRoom(input, at, to);
                        case MORE -> stop(null);
                        case FAILED -> stop(parser.failure());
                    };
        }
    }

    /** Hands the parsed request over. False if the client is gone. */
    private boolean handle() {
        RequestHead head = parser.head();
        byte[] body = parser.takeBody();
        Exchange exchange = new Exchange(this, head, parser.takenBytes(), parser.takenFrom());
        try (var _ = lock.held()) {
            if (!state.handing()) {
                exchange.releaseBody();
                endDriving();
                return false;
            }
            answers.awaits(exchange);
            times.complete();
        }
        context.statistics.requests.increment();
        HttpResponse refusal = parser.refusal();
        if (refusal != null) {
            exchange.respond(refusal);
            return true;
        }
        try {
            context.handler.handle(
                    new HttpRequest(head.method(), head.path(), head.query(), head, body),
                    exchange);
        } catch (RuntimeException | Error e) {
            LOG.error("A request handler failed", e);
            if (exchange.tryAnswer()) {
                respond(
                        exchange,
                        Problem.response(500, "The server failed to handle this."),
                        HeldRoom.NONE);
            }
        }
        return true;
    }

    /** After a request: whether the driver continues with the rest of the input. */
    private boolean goOn(byte[] input, int at, int to) {
        try (var _ = lock.held()) {
            parser.next();
            if (state.protocol() == Protocol.MESSAGES && !parser.isUpgraded()) {
                parser.upgrade();
            }
            switch (state.handled(output.unsentBytes())) {
                case PARSE -> {
                    return true;
                }
                case KEEP -> {
                    if (at < to && !waiting.keep(input, at, to)) {
                        // Pipelined requests are dropped; the answer in flight closes the
                        // connection.
                        context.statistics.reject(Rejection.BYTES);
                        state.restDropped();
                    }
                }
                case DROP -> {}
            }
            endDriving();
            sendAndListen();
            return false;
        }
    }

    /**
     * Takes room for a large body at once, if no other body waits for room and the client is known
     * to send: it has filled the buffer, or waits for 100 (Continue).
     */
    private boolean takeRoom(boolean isBufferFull) {
        roomBytes = context.bodyQueue.charge(parser.declaredBytes());
        boolean isSending = isBufferFull || parser.isContinueDue();
        if (!isSending || !context.bodyQueue.tryTake(roomBytes)) {
            return false;
        }
        granted(roomBytes);
        return true;
    }

    /** Hands the room to the parser. */
    private void granted(long charge) {
        parser.granted(charge);
        try (var _ = lock.held()) {
            times.granted();
        }
    }

    /** Stops the driver before a large body that has no room. */
    private boolean stopBeforeRoom(byte[] input, int at, int to) {
        boolean asks = false;
        try (var _ = lock.held()) {
            boolean isKept = waiting.keepBeforeRoom(input, at, to);
            state.stoppedBeforeRoom();
            endDriving();
            if (state.isOver()) {
                return false;
            }
            if (isKept) {
                times.parsed(true, context.sweptAtNanos);
                times.awaitsRoom();
                asks = parser.isContinueDue();
                if (asks) {
                    state.asksForRoom();
                }
            } else {
                refuseForRoom();
            }
            sendAndListen();
        }
        if (asks) {
            context.bodyQueue.join(this);
        }
        return false;
    }

    /** With the lock held. */
    private void refuseForRoom() {
        parser.drop();
        waiting.drop();
        refuse(BodyParser.NO_ROOM);
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public long bytes() {
        return roomBytes;
    }

    /** May be called with the locks of another connection held. */
    @Override
    public void granted() {
        SelectorTasks tasks = selectorTasks;
        if (tasks != null) {
            var _ = tasks.later(this::takeGranted);
        }
    }

    private void takeGranted() {
        boolean isWanted;
        try (var _ = lock.held()) {
            isWanted = state.roomGranted();
            if (isWanted) {
                parser.granted(roomBytes);
                times.granted();
            }
        }
        if (isWanted) {
            work();
        } else {
            context.bodyQueue.release(roomBytes);
        }
    }

    private boolean sendContinue() {
        try (var _ = lock.held()) {
            output.addContinue();
            return true;
        }
    }

    /** Stops the driver, because the input is used up or with a failure. */
    private boolean stop(@Nullable HttpFailure failure) {
        try (var _ = lock.held()) {
            state.stopped();
            endDriving();
            if (state.isOver()) {
                return false;
            }
            if (failure != null) {
                refuse(failure);
            } else {
                times.parsed(!parser.isAtRest(), context.sweptAtNanos);
            }
            sendAndListen();
            return false;
        }
    }

    private void endDriving() {
        waiting.done();
        if (state.isClosed()) {
            parser.drop();
        }
    }

    private void refuse(HttpFailure failure) {
        answers.addRefusal(failure, parser.head().method().equals("HEAD"));
    }

    // ---- Answering, from any thread.

    @Override
    public void respondFromSelector(Exchange exchange, HttpResponse response) {
        SelectorTasks tasks = selectorTasks;
        if (tasks == null) {
            respond(exchange, response, HeldRoom.NONE);
        } else {
            tasks.execute(() -> respond(exchange, response, HeldRoom.NONE));
        }
    }

    @Override
    public void respond(Exchange exchange, HttpResponse response, HeldRoom room) {
        if (!lock.tryLock() && handsOver(() -> respond(exchange, response, room))) {
            return;
        }
        try (lock) {
            if (answers.add(exchange, response, room) && !state.isDriven()) {
                sendAndListen(); // The driver would send it itself.
            }
        }
        work();
    }

    /** Called by the driver in the handler: the driver sends the answer afterwards. */
    @Override
    public void upgrade(Exchange exchange, HttpRequest request) {
        if (isUpgraded() || !Handshake.isAskedFor(request, parser.head())) {
            respond(exchange, Handshake.REQUIRED, HeldRoom.NONE);
            return;
        }
        List<String> headers = Handshake.answer(request);
        if (headers == null) {
            respond(exchange, Handshake.MALFORMED, HeldRoom.NONE);
            return;
        }
        proved();
        try (var _ = lock.held()) {
            if (!state.isDriven()) {
                throw new IllegalStateException("too late: what follows may have been read");
            }
            answers.addUpgrade(exchange, headers);
        }
    }

    private boolean isUpgraded() {
        try (var _ = lock.held()) {
            return state.protocol() == Protocol.MESSAGES;
        }
    }

    /** Called without the lock. */
    @Override
    public boolean takePlace(Exchange exchange) {
        if (!context.places.take(this, context.sweptAtNanos)) {
            context.statistics.reject(Rejection.BYTES);
            return false;
        }
        noteTaken(exchange);
        return true;
    }

    /** Called without the lock. */
    @Override
    public StreamPlaces.Place takePlaceOfAddress(Exchange exchange, int most) {
        StreamPlaces.Place place = context.places.takeOfAddress(this, most, context.sweptAtNanos);
        switch (place) {
            case TAKEN -> noteTaken(exchange);
            case NONE -> context.statistics.reject(Rejection.BYTES);
            case ADDRESS_HAS_ITS_SHARE -> {}
        }
        return place;
    }

    private void noteTaken(Exchange exchange) {
        try (var _ = lock.held()) {
            exchange.hasPlace = true;
            if (state.isClosed()) {
                exchange.leavePlace(context.places); // The answer is dropped.
            }
        }
    }

    @Override
    public void stream(Exchange exchange, HttpResponse head, StreamSource source) {
        ResponseStream stream = new ResponseStream(this, source, !exchange.isHttp10);
        boolean isStarted;
        if (!lock.tryLock() && handsOver(() -> stream(exchange, head, source))) {
            return;
        }
        try (lock) {
            isStarted = answers.addStream(exchange, head, stream);
            if (isStarted) {
                SocketCalls.boundUnsent(socket, ResponseStream.UNSENT_BYTES);
            }
            if (!state.isDriven()) {
                sendAndListen();
            }
        }
        if (!isStarted) {
            source.close();
        }
        work();
    }

    @Override
    public void delivered(ResponseStream stream, List<byte[]> pieces, Ending ending) {
        boolean isOver;
        if (!lock.tryLock() && handsOver(() -> delivered(stream, pieces, ending))) {
            return;
        }
        try (lock) {
            if (!answers.takesDelivery(stream)) {
                return;
            }
            isOver = answers.addDelivery(stream, pieces, ending);
            sendAndListen();
        }
        if (isOver) {
            stream.source.close();
        }
        work();
    }

    // ---- The socket.

    /** Sends output, and sets the events that the selector watches. With the lock held. */
    private void sendAndListen() {
        if (state.isOver()) {
            return;
        }
        try {
            long sent = output.write();
            if (sent > 0) {
                context.statistics.bytesWritten.add(sent);
            }
            times.taken(sent, output.isEmpty(), context.sweptAtNanos);
        } catch (IOException e) {
            state.fail();
            return;
        }
        if (!output.holdsWhatWaits()) {
            giveUp(Rejection.BYTES);
            return;
        }
        switch (state.sent(output.unsentBytes())) {
            case GO_ON -> {}
            case END_OUTPUT -> {
                wire.endOutput();
                SocketCalls.shutdownOutput(socket);
                times.lingering(context.sweptAtNanos);
            }
            case RESET -> SocketCalls.reset(socket);
        }
        boolean reads = state.listensForInput(output.unsentBytes(), waiting.isThere());
        listen((reads && !wire.isPaused() ? READABLE : 0) | (output.isEmpty() ? 0 : WRITEABLE));
        if (reads && !isReadPlanned && wire.hasInput()) {
            isReadPlanned = true;
            resume();
        }
    }

    // ---- Work without the lock, by one thread at a time.

    /**
     * Takes the pending steps. Called without the lock after every change; if another thread is in
     * this method, it sees the change.
     */
    private void work() {
        work(true);
    }

    private void work(boolean begins) {
        boolean isFirst = begins;
        while (true) {
            Step step;
            byte[] input = null;
            ResponseStream stream = null;
            boolean isStillFirst = isFirst;
            if (!lock.tryLock() && handsOver(() -> work(isStillFirst))) {
                return;
            }
            try (lock) {
                if (isFirst && working) {
                    return;
                }
                step = state.next(output.unsentBytes(), waiting.isThere());
                working = step != Step.NONE;
                if (step == Step.DRIVE) {
                    input = waiting.take();
                } else if (step == Step.PULL) {
                    stream = answers.stream();
                }
            }
            if (step == Step.NONE) {
                return;
            }
            isFirst = false;
            if (input != null) {
                drive(input, waiting.from(), input.length);
            } else if (stream != null) {
                stream.pull();
            } else {
                close();
            }
        }
    }

    // ---- The end.

    @Override
    public void sweep(long nowNanos) {
        exclusively(
                () -> {
                    switch (state.sweep(nowNanos, times.hasLingered(nowNanos))) {
                        case LEAVE -> {}
                        case REJECT -> context.statistics.reject(Rejection.DEADLINE);
                        case JUDGE -> judge(nowNanos);
                        case JUDGE_WAIT -> judgeWait(nowNanos);
                    }
                });
    }

    private void judgeWait(long nowNanos) {
        if (times.hasWaitedForRoom(nowNanos) && context.bodyQueue.leave(this)) {
            refuseForRoom();
            sendAndListen();
        }
    }

    private void judge(long nowNanos) {
        if (!output.isEmpty()) {
            sendAndListen(); // The kernel does not report a little room.
        }
        if (state.isOver()) {
            return;
        }
        if (state.isStreaming() && output.isEmpty() && SocketCalls.hasEnded(socket)) {
            state.fail(); // No write would detect it: the source may search for long.
            return;
        }
        RequestParser awaited = state.awaitsRequest() ? parser : null;
        ConnectionTimes.Verdict verdict =
                state.isBeforeRoom() && output.isEmpty()
                        ? times.ofBodyBefore(nowNanos, context.headPressure())
                        : times.verdict(nowNanos, !output.isEmpty(), awaited, context);
        switch (verdict) {
            case IN_TIME -> {}
            case IDLE -> state.fail();
            case STALLED -> giveUp(Rejection.DEADLINE);
            case REQUEST_LATE -> {
                parser.drop();
                waiting.drop();
                refuse(new HttpFailure(408, "The request took too long to arrive."));
                sendAndListen();
            }
        }
    }

    private void giveUp(Rejection why) {
        context.statistics.reject(why);
        // Otherwise the kernel would keep its buffer for a client that does not read.
        SocketCalls.reset(socket);
        state.fail();
    }

    @Override
    public long stoodNanos(long nowNanos) {
        if (!lock.tryLock()) {
            return 0;
        }
        try (lock) {
            return state.isStreaming() ? times.stoodNanos(nowNanos) : 0;
        }
    }

    @Override
    public void giveWay(long nowNanos) {
        exclusively(
                () -> {
                    if (stoodNanos(nowNanos) >= StreamPlaces.PATIENCE.toNanos()) {
                        giveUp(Rejection.DEADLINE);
                    }
                });
    }

    @Override
    public void handleException(Throwable e) {
        LOG.error("A connection failed", e);
        close();
    }

    @Override
    public void reset() {
        if (!lock.tryLock() && handsOver(this::reset)) {
            return;
        }
        try (lock) {
            if (state.isClosed()) {
                return;
            }
            SocketCalls.reset(socket);
        }
        close();
    }

    /**
     * Not synchronized, unlike the overridden method: a stream's source is closed without a lock.
     */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void close() {
        ResponseStream stream;
        if (!lock.tryLock() && handsOver(this::close)) {
            return;
        }
        try (lock) {
            if (!state.close()) {
                return;
            }
            isClosed = true;
            super.close();
            stream = answers.close();
            waiting.drop();
            if (!state.isDriven()) {
                parser.drop();
            }
        }
        var _ = context.bodyQueue.leave(this);
        context.connections.remove(this);
        context.addresses.remove(address);
        if (context.strangers != null) {
            context.strangers.remove(this);
        }
        if (stream != null) {
            stream.source.close();
        }
    }

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public DrainRule.Connection drains(boolean isLate) {
        if (!lock.tryLock()) {
            return new DrainRule.Connection(isLate, DrainRule.Use.ANSWERING, context.sweptAtNanos);
        }
        try (lock) {
            return new DrainRule.Connection(isLate, use(), times.activeAtNanos());
        }
    }

    private DrainRule.Use use() {
        if (state.hasEnded()) {
            return DrainRule.Use.ENDED;
        }
        boolean isIdle = state.isIdle(output.unsentBytes(), waiting.isThere());
        return isIdle && !times.isPartial() ? DrainRule.Use.OPEN : DrainRule.Use.ANSWERING;
    }
}
