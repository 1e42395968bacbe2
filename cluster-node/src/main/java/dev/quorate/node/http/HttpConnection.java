package dev.quorate.node.http;

import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.ListenerStatistics.Rejection;
import dev.quorate.node.http.ResponseEncoder.Framing;
import dev.quorate.node.http.ResponseEncoder.Persistence;
import dev.quorate.node.http.ResponseStream.Ending;
import java.io.IOException;
import java.util.List;
import one.nio.net.Session;
import one.nio.net.Socket;
import one.nio.net.SocketClosedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: reads requests, one in flight at a time, and sends their answers in
 * order.
 *
 * <p>Input has one <i>driver</i> at a time: the selector thread that has just read, or the thread
 * that answered a request behind which others were waiting. The driver owns the parser and calls
 * the handler without a lock held. Everything else is guarded by this object's lock, under which
 * the socket is read and written (never blocking) and closed, because a descriptor that is closed
 * while another thread reads it may be another connection's by then.
 *
 * <p>While a request is in flight nothing is read, so that what a client pipelines waits in its own
 * memory and the kernel's, apart from what came with the request.
 */
final class HttpConnection extends Session implements Exchange.Connection, ResponseStream.Receiver {

    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

    /** Nothing more is parsed while so much waits to be sent. */
    private static final long MAX_UNSENT_BYTES = 256 * 1024;

    /** What a connection that was given up still reads, in order to throw it away. */
    private static final long MAX_LINGERING_BYTES = 64L << 20;

    private enum Phase {
        OPEN,
        /** The last answer is queued or on its way; nothing more is parsed. */
        LAST,
        /** All is sent; what still comes is thrown away until the client closes. */
        LINGERING,
        CLOSED
    }

    /** What is to be done without the lock. */
    private enum Work {
        NONE,
        CLOSE,
        DRIVE,
        PULL
    }

    private final ListenerContext context;

    /** Whom it is counted for. */
    private final String address;

    private final long acceptedAtNanos;

    /** Of the selector that serves this; null until it is registered with one. */
    private @Nullable SelectorTasks selectorTasks;

    /** Owned by the driver. */
    private final RequestParser parser;

    // Guarded by this.
    private final Output output;
    private final WaitingInput waiting;
    private final ConnectionTimes times;
    private Phase phase = Phase.OPEN;
    private boolean driving;

    /** Whether it was upgraded. */
    private boolean talksMessages;

    /** Whether the client has still to prove who it is. */
    private boolean isStranger;

    private boolean working;
    private boolean broken;
    private boolean resets;
    private boolean readPaused;
    private @Nullable Exchange inFlight;
    private long lingeredBytes;

    HttpConnection(Socket socket, ListenerContext context, String address) {
        super(socket);
        this.context = context;
        this.address = address;
        isStranger = context.strangers != null;
        acceptedAtNanos = context.sweptAtNanos;
        parser = new RequestParser(context.limits, context.bodies, context.heads, this::refusal);
        output = new Output(context);
        waiting = new WaitingInput(context.bodies);
        times = new ConnectionTimes(context.limits.deadlines(), context.sweptAtNanos);
    }

    /** Before anything is read. */
    void servedBy(SelectorTasks tasks) {
        selectorTasks = tasks;
    }

    // ---- Reading, by the selector.

    /** Not synchronized, unlike what it overrides: the handler is called without a lock. */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void process(byte[] buffer) {
        int ready = events;
        if ((ready & WRITEABLE) != 0) {
            synchronized (this) {
                settle();
            }
            work();
        }
        if ((ready & (READABLE | CLOSING)) != 0) {
            readable(buffer, (ready & CLOSING) != 0);
        }
    }

    private void readable(byte[] buffer, boolean isClosing) {
        int count = 0;
        synchronized (this) {
            if (canRead()) {
                count = read(buffer);
                driving = count > 0;
            } else if (isClosing) {
                broken = true;
            } else {
                // A client that is gone without an error is found out by writing to it.
                readPaused = true;
                settle();
            }
        }
        if (count > 0) {
            context.statistics.bytesRead.add(count);
            drive(buffer, 0, count);
        }
        work();
    }

    /** Reads what is to be parsed; 0 if there is nothing. */
    private int read(byte[] buffer) {
        try {
            int count = Math.max(socket.read(buffer, 0, buffer.length, 0), 0);
            if (phase == Phase.OPEN) {
                return count;
            }
            lingeredBytes += count;
            broken |= lingeredBytes > MAX_LINGERING_BYTES;
        } catch (SocketClosedException e) {
            endOfInput();
        } catch (IOException e) {
            broken = true;
        }
        return 0;
    }

    private void endOfInput() {
        if (phase == Phase.OPEN && !parser.isAtRest()) {
            parser.drop();
            refuse(HttpFailure.malformed("The request ends in the middle."));
            settle();
        } else if (phase == Phase.OPEN && !output.isEmpty()) {
            phase = Phase.LAST;
            readPaused = true;
            settle();
        } else {
            broken = true;
        }
    }

    private boolean canRead() {
        return switch (phase) {
            case OPEN ->
                    inFlight == null
                            && !driving
                            && !waiting.isThere()
                            && output.unsentBytes() <= MAX_UNSENT_BYTES;
            case LINGERING -> true;
            case LAST, CLOSED -> false;
        };
    }

    // ---- Parsing and handling, by the driver.

    /** Whoever's body is read, or not refused unread, has proved who he is if that is asked. */
    private @Nullable HttpResponse refusal(RequestHead head) {
        HttpResponse refusal = context.refusal(head);
        if (refusal == null) {
            becomeKnown();
        }
        return refusal;
    }

    private void becomeKnown() {
        Strangers strangers = context.strangers;
        if (strangers != null) {
            synchronized (this) {
                isStranger = false;
            }
            strangers.remove(this);
        }
    }

    /** Parses and handles requests until the input is used up or one stays in flight. */
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
                        case MORE -> stop(null);
                        case FAILED -> stop(parser.failure());
                    };
        }
    }

    /** Hands the parsed request over. Returns false if the connection was closed before. */
    private boolean handle() {
        RequestHead head = parser.head();
        byte[] body = parser.takeBody();
        Exchange exchange = new Exchange(this, head, body.length, parser.takenFrom());
        synchronized (this) {
            if (phase == Phase.CLOSED) {
                exchange.releaseBody();
                endDriving();
                return false;
            }
            inFlight = exchange;
            times.complete();
        }
        context.statistics.requests.increment();
        HttpResponse refusal = parser.refusal();
        if (refusal != null) {
            exchange.respond(refusal);
            parser.next();
            return true;
        }
        try {
            context.handler.handle(
                    new HttpRequest(head.method(), head.path(), head.query(), head, body),
                    exchange);
        } catch (RuntimeException | Error e) {
            LOG.error("A request handler failed", e);
            if (!isAnswered(exchange)) {
                exchange.respond(Problem.response(500, "The server failed to handle this."));
            }
        }
        parser.next();
        if (isUpgraded(exchange)) {
            parser.upgrade();
        }
        return true;
    }

    private synchronized boolean isUpgraded(Exchange exchange) {
        return exchange.isUpgraded;
    }

    private synchronized boolean isAnswered(Exchange exchange) {
        return exchange.isAnswered;
    }

    /** After a request: whether the driver goes on, or leaves the rest for later. */
    private synchronized boolean goOn(byte[] input, int at, int to) {
        if (phase != Phase.OPEN) {
            return stop(null);
        }
        if (inFlight == null && output.unsentBytes() <= MAX_UNSENT_BYTES) {
            return true;
        }
        if (at < to && !waiting.keep(input, at, to)) {
            // The requests behind are dropped; the answer in flight tells the client so.
            context.statistics.reject(Rejection.BYTES);
            phase = Phase.LAST;
        }
        endDriving();
        settle();
        return false;
    }

    private synchronized boolean sendContinue() {
        output.addContinue();
        return true;
    }

    /** The driver's end, for want of input or with a failure. */
    private synchronized boolean stop(@Nullable HttpFailure failure) {
        endDriving();
        if (phase == Phase.CLOSED) {
            return false;
        }
        if (failure != null) {
            refuse(failure);
        } else if (phase == Phase.OPEN) {
            times.parsed(!parser.isAtRest(), context.sweptAtNanos);
        }
        settle();
        return false;
    }

    private void endDriving() {
        driving = false;
        waiting.done();
        if (phase == Phase.CLOSED) {
            parser.drop();
        }
    }

    /** Queues the one answer to what was not acceptable, which is the connection's last. */
    private void refuse(HttpFailure failure) {
        context.statistics.rejectWith(failure.status());
        if (talksMessages) {
            output.addClose(failure);
        } else {
            output.addRefusal(failure, parser.head().method().equals("HEAD"));
        }
        times.active(context.sweptAtNanos);
        phase = Phase.LAST;
    }

    // ---- Answering, from any thread.

    @Override
    public void respondFromSelector(Exchange exchange, HttpResponse response) {
        SelectorTasks tasks = selectorTasks;
        if (tasks == null) {
            respond(exchange, response);
        } else {
            tasks.execute(() -> respond(exchange, response));
        }
    }

    @Override
    public void respond(Exchange exchange, HttpResponse response) {
        synchronized (this) {
            if (!begin(exchange)) {
                return;
            }
            if (talksMessages) {
                output.addMessage(response, persistence(exchange));
            } else {
                output.addAnswer(response, persistence(exchange), exchange.isHead);
            }
            finish(exchange);
            if (driving) {
                return; // The driver sends it, with those of the requests behind.
            }
            settle();
        }
        work();
    }

    /** By the driver, while it handles the request: it sends the answer, and goes on. */
    @Override
    public void upgrade(Exchange exchange, HttpRequest request) {
        if (talksMessages || !Handshake.isAskedFor(request, parser.head())) {
            respond(exchange, Handshake.REQUIRED);
            return;
        }
        List<String> headers = Handshake.answer(request);
        if (headers == null) {
            respond(exchange, Handshake.MALFORMED);
            return;
        }
        becomeKnown();
        synchronized (this) {
            if (!driving) {
                throw new IllegalStateException("too late: what follows may have been read");
            }
            if (begin(exchange)) {
                output.addUpgrade(headers);
                exchange.isUpgraded = true;
                talksMessages = true;
                finish(exchange);
            }
        }
    }

    /** Marks the exchange as answered; returns false if nobody is there to read it. */
    private boolean begin(Exchange exchange) {
        if (exchange.isAnswered) {
            throw new IllegalStateException("a request is answered once");
        }
        exchange.isAnswered = true;
        exchange.releaseBody();
        return phase != Phase.CLOSED;
    }

    private Persistence persistence(Exchange exchange) {
        if (!exchange.staysOpen || context.draining || phase != Phase.OPEN) {
            return Persistence.CLOSES;
        }
        return exchange.isHttp10 ? Persistence.STAYS_SAID : Persistence.STAYS;
    }

    /** The answer is queued whole. */
    private void finish(Exchange exchange) {
        inFlight = null;
        exchange.leavePlace(context.places);
        times.active(context.sweptAtNanos);
        if (!exchange.staysOpen || context.draining) {
            phase = Phase.LAST;
        }
        if (phase == Phase.LAST) {
            waiting.drop();
        }
    }

    /** By whoever will answer, without the lock. */
    @Override
    public boolean takePlace(Exchange exchange) {
        if (!context.places.take(this, context.sweptAtNanos)) {
            context.statistics.reject(Rejection.BYTES);
            return false;
        }
        synchronized (this) {
            exchange.hasPlace = true;
            if (phase == Phase.CLOSED) {
                exchange.leavePlace(context.places); // What is answered is dropped.
            }
        }
        return true;
    }

    @Override
    public void stream(Exchange exchange, HttpResponse head, StreamSource source) {
        boolean isStarted = false;
        synchronized (this) {
            if (begin(exchange)) {
                isStarted = start(exchange, head, source);
                if (!driving) {
                    settle();
                }
            }
        }
        if (!isStarted) {
            source.close();
        }
        work();
    }

    /** Returns false if the answer is complete without the source. */
    private boolean start(Exchange exchange, HttpResponse head, StreamSource source) {
        boolean isChunked = !exchange.isHttp10;
        Framing framing = isChunked ? Framing.CHUNKED : Framing.UNTIL_CLOSE;
        if (exchange.isHead) {
            output.addStreamHead(head, framing, persistence(exchange));
            finish(exchange);
            return false;
        }
        exchange.hasPlace = exchange.hasPlace || context.places.tryTake(this);
        if (!exchange.hasPlace) {
            context.statistics.reject(Rejection.BYTES);
            output.addAnswer(ResponseStream.NO_PLACE, persistence(exchange), false);
            finish(exchange);
            return false;
        }
        SocketCalls.boundUnsent(socket, ResponseStream.UNSENT_BYTES);
        output.addStreamHead(head, framing, isChunked ? persistence(exchange) : Persistence.CLOSES);
        exchange.stream = new ResponseStream(this, source, isChunked);
        return true;
    }

    /** The source of a stream has delivered. */
    @Override
    public void delivered(ResponseStream stream, List<byte[]> pieces, Ending ending) {
        boolean isOver;
        synchronized (this) {
            Exchange exchange = inFlight;
            if (stream.isOver || exchange == null || exchange.stream != stream) {
                return;
            }
            stream.isAwaited = false;
            boolean isAborted = !output.addPieces(pieces) || ending == Ending.ABORT;
            isOver = isAborted || ending == Ending.END;
            if (isOver) {
                stream.isOver = true;
                if (isAborted || !stream.isChunked) {
                    phase = Phase.LAST;
                }
                // Without framing, an ordinary end would look complete.
                resets = isAborted && !stream.isChunked;
                finish(exchange);
            }
            if (!driving) {
                settle();
            }
        }
        if (isOver) {
            stream.source.close();
        }
        work();
    }

    // ---- The socket.

    /** Sends what can be sent, and listens for what is to come. With the lock held. */
    private void settle() {
        if (phase == Phase.CLOSED || broken) {
            return;
        }
        try {
            long sent = output.writeTo(socket);
            if (sent > 0) {
                context.statistics.bytesWritten.add(sent);
            }
            times.taken(sent, output.isEmpty(), context.sweptAtNanos);
            if (!output.holdsWhatWaits()) {
                giveUp(Rejection.BYTES);
                return;
            }
        } catch (IOException e) {
            broken = true;
            return;
        }
        if (output.isEmpty() && phase == Phase.LAST && inFlight == null) {
            endOutput();
        }
        readPaused &= !canRead();
        listen((readPaused ? 0 : READABLE) | (output.isEmpty() ? 0 : WRITEABLE));
    }

    /** The last answer is sent. */
    private void endOutput() {
        if (resets) {
            SocketCalls.reset(socket);
            broken = true;
            return;
        }
        SocketCalls.shutdownOutput(socket);
        phase = Phase.LINGERING;
        times.lingering(context.sweptAtNanos);
    }

    // ---- Work without the lock, by one thread at a time.

    /**
     * Does what there is to do. Whoever changes something calls this afterwards, without the lock;
     * if another thread is at it, that one sees the change.
     */
    private void work() {
        synchronized (this) {
            if (working || nextWork() == Work.NONE) {
                return;
            }
            working = true;
        }
        while (true) {
            Work next;
            byte[] input = null;
            ResponseStream stream = null;
            synchronized (this) {
                next = nextWork();
                if (next == Work.NONE) {
                    working = false;
                    return;
                }
                if (next == Work.DRIVE) {
                    driving = true;
                    input = waiting.take();
                } else if (next == Work.PULL) {
                    stream = awaited();
                }
            }
            if (input != null) {
                drive(input, waiting.from(), input.length);
            } else if (stream != null) {
                stream.pull();
            } else {
                close();
            }
        }
    }

    private Work nextWork() {
        if (phase == Phase.CLOSED) {
            return Work.NONE;
        }
        if (broken) {
            return Work.CLOSE;
        }
        if (driving) {
            return Work.NONE;
        }
        if (inFlight == null) {
            boolean canDrive =
                    phase == Phase.OPEN
                            && waiting.isThere()
                            && output.unsentBytes() <= MAX_UNSENT_BYTES;
            return canDrive ? Work.DRIVE : Work.NONE;
        }
        ResponseStream stream = inFlight.stream;
        boolean canPull = stream != null && !stream.isAwaited && output.isEmpty();
        return canPull ? Work.PULL : Work.NONE;
    }

    private @Nullable ResponseStream awaited() {
        ResponseStream stream = inFlight == null ? null : inFlight.stream;
        if (stream != null) {
            stream.isAwaited = true;
        }
        return stream;
    }

    // ---- The end.

    @Override
    public void sweep(long nowNanos) {
        synchronized (this) {
            if (isStranger && nowNanos - acceptedAtNanos > provingNanos()) {
                context.statistics.reject(Rejection.DEADLINE);
                broken = true;
            } else if (phase == Phase.LINGERING) {
                broken |= times.hasLingered(nowNanos);
            } else if (phase != Phase.CLOSED && !driving) {
                judge(nowNanos);
            }
        }
        work();
    }

    private long provingNanos() {
        return context.limits.connections().provingTime().toNanos();
    }

    private void judge(long nowNanos) {
        if (!output.isEmpty()) {
            settle(); // The kernel tells only when there is much room, and there may be some.
        }
        RequestParser awaited = phase == Phase.OPEN && inFlight == null ? parser : null;
        switch (times.verdict(nowNanos, !output.isEmpty(), awaited, context)) {
            case IN_TIME -> {}
            case IDLE -> broken = true;
            case STALLED -> giveUp(Rejection.DEADLINE);
            case REQUEST_LATE -> {
                parser.drop();
                refuse(new HttpFailure(408, "The request took too long to arrive."));
                settle();
            }
        }
    }

    private void giveUp(Rejection why) {
        context.statistics.reject(why);
        // Or the kernel would keep what it has for a client that does not take it.
        SocketCalls.reset(socket);
        broken = true;
    }

    @Override
    public synchronized long stoodNanos(long nowNanos) {
        boolean isReader = phase != Phase.CLOSED && inFlight != null && inFlight.stream != null;
        return isReader ? times.stoodNanos(nowNanos) : 0;
    }

    @Override
    public void giveWay(long nowNanos) {
        synchronized (this) {
            if (!broken && stoodNanos(nowNanos) >= StreamPlaces.PATIENCE.toNanos()) {
                giveUp(Rejection.DEADLINE);
            }
        }
        work();
    }

    @Override
    public void handleException(Throwable e) {
        LOG.error("A connection failed", e);
        close();
    }

    @Override
    public void reset() {
        synchronized (this) {
            if (phase == Phase.CLOSED) {
                return;
            }
            SocketCalls.reset(socket);
        }
        close();
    }

    /** Not synchronized, unlike what it overrides: a stream's source is closed without a lock. */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void close() {
        ResponseStream stream = null;
        synchronized (this) {
            if (phase == Phase.CLOSED) {
                return;
            }
            phase = Phase.CLOSED;
            super.close();
            output.clear();
            waiting.drop();
            if (!driving) {
                parser.drop();
            }
            if (inFlight != null) {
                inFlight.leavePlace(context.places);
                stream = inFlight.stream;
            }
            if (stream != null) {
                stream.isOver = true;
            }
            inFlight = null;
        }
        context.connections.remove(this);
        context.addresses.remove(address);
        if (context.strangers != null) {
            context.strangers.remove(this);
        }
        if (stream != null) {
            stream.source.close();
        }
    }

    synchronized boolean isClosed() {
        return phase == Phase.CLOSED;
    }

    @Override
    public synchronized boolean isIdle() {
        return phase == Phase.CLOSED
                || (inFlight == null
                        && output.isEmpty()
                        && !waiting.isThere()
                        && !times.isPartial());
    }
}
