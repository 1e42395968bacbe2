package dev.quorate.node.http;

import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.ListenerStatistics.Rejection;
import dev.quorate.node.http.ResponseEncoder.Framing;
import dev.quorate.node.http.ResponseEncoder.Persistence;
import dev.quorate.node.http.ResponseStream.Ending;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
final class HttpConnection extends Session {

    private static final Logger log = LoggerFactory.getLogger(HttpConnection.class);

    /** Nothing more is parsed while so much waits to be sent. */
    private static final long MAX_UNSENT_BYTES = 256 * 1024;

    /** What a connection that was given up still reads, in order to throw it away. */
    private static final long MAX_LINGERING_BYTES = 64L << 20;

    private static final byte[] CONTINUE =
            "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private enum Phase {
        OPEN,
        /** The last answer is queued; nothing more is parsed. */
        LAST,
        /** All is sent; what still comes is thrown away until the client closes. */
        LINGERING,
        CLOSED
    }

    private sealed interface Work {
        record Drive(byte[] input, int from) implements Work {}

        record Pull(ResponseStream stream) implements Work {}

        enum None implements Work {
            NONE,
            CLOSE
        }
    }

    private final ListenerContext context;

    /** Owned by the driver. */
    private final RequestParser parser;

    // Guarded by this.
    private final Output output;
    private Phase phase = Phase.OPEN;
    private boolean driving;
    private byte @Nullable [] driven;
    private boolean working;
    private boolean broken;
    private boolean resets;
    private boolean readPaused;
    private @Nullable Exchange inFlight;
    private byte @Nullable [] waiting;
    private int waitingFrom;
    private long activeAtNanos;
    private long startedAtNanos;
    private boolean isPartial;
    private long lingered;

    HttpConnection(Socket socket, ListenerContext context) {
        super(socket);
        this.context = context;
        parser = new RequestParser(context.limits, context.inputBudget);
        output = new Output(context.outputBudget);
        activeAtNanos = context.sweptAtNanos;
    }

    // ---- What the selector calls.

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
            if (phase == Phase.CLOSED) {
                return;
            }
            if (!canRead()) {
                // A client that is gone is found out by writing to it, unless the kernel says so.
                if (isClosing) {
                    broken = true;
                } else {
                    readPaused = true;
                    settle();
                }
            } else {
                count = read(buffer);
                driving = count > 0;
            }
        }
        if (count > 0) {
            context.statistics.bytesRead.add(count);
            drive(buffer, 0, count);
        }
        work();
    }

    /** Reads what is there: 0 if nothing is, or if the client has sent its last. */
    private int read(byte[] buffer) {
        try {
            int count = socket.read(buffer, 0, buffer.length, 0);
            if (phase == Phase.LINGERING) {
                lingered += Math.max(count, 0);
                broken |= lingered > MAX_LINGERING_BYTES;
                return 0;
            }
            return Math.max(count, 0);
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

    @Override
    public void handleException(Throwable e) {
        log.error("A connection failed", e);
        close();
    }

    // ---- Input: the driver.

    /**
     * Parses and handles requests until the input is used up or one stays in flight.
     *
     * @param input the selector's array, or {@link #driven}
     */
    private void drive(byte[] input, int from, int to) {
        int at = from;
        while (true) {
            RequestParser.Event event = parser.feed(input, at, to);
            at = parser.position();
            boolean goesOn =
                    switch (event) {
                        case REQUEST -> handle() && goOn(input, at, to);
                        case CONTINUE -> sendContinue();
                        case MORE -> stop(null);
                        case FAILED -> stop(parser.failure());
                    };
            if (!goesOn) {
                return;
            }
        }
    }

    /** The driver lets go, with the lock held. */
    private void endDriving() {
        driving = false;
        if (driven != null) {
            context.inputBudget.release(driven.length);
            driven = null;
        }
        if (phase == Phase.CLOSED) {
            parser.drop();
        }
    }

    /** Hands the parsed request over. Returns false if the connection was closed meanwhile. */
    private boolean handle() {
        RequestHead head = parser.head();
        byte[] body = parser.takeBody();
        Exchange exchange = new Exchange(this, head, body.length);
        synchronized (this) {
            if (phase == Phase.CLOSED) {
                context.inputBudget.release(body.length);
                endDriving();
                return false;
            }
            inFlight = exchange;
            isPartial = false;
        }
        context.statistics.requests.increment();
        try {
            context.handler.handle(
                    new HttpRequest(head.method(), head.path(), head.query(), head, body),
                    exchange);
        } catch (RuntimeException | Error e) {
            failed(exchange, e);
        }
        parser.next();
        return true;
    }

    private void failed(Exchange exchange, Throwable e) {
        log.error("A request handler failed", e);
        boolean isAnswered;
        synchronized (this) {
            isAnswered = exchange.isAnswered;
        }
        if (!isAnswered) {
            exchange.respond(Problem.response(500, "The node failed to handle this request."));
        }
    }

    /** After a request: whether the driver goes on, or leaves the rest for later. */
    private synchronized boolean goOn(byte[] input, int at, int to) {
        if (phase != Phase.OPEN) {
            return stop(null);
        }
        if (inFlight == null && output.unsentBytes() <= MAX_UNSENT_BYTES) {
            return true;
        }
        if (at < to) {
            keepWaiting(input, at, to);
        }
        endDriving();
        settle();
        return false;
    }

    private void keepWaiting(byte[] input, int at, int to) {
        if (driven != null) {
            waiting = driven;
            waitingFrom = at;
            driven = null;
        } else if (context.inputBudget.tryReserve(to - at)) {
            waiting = Arrays.copyOfRange(input, at, to);
            waitingFrom = 0;
        } else {
            // Answered requests stand; those behind were not begun, and the client sees that.
            context.statistics.reject(Rejection.BYTES);
            phase = Phase.LAST;
        }
    }

    private synchronized boolean sendContinue() {
        output.add(CONTINUE);
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
            boolean wasPartial = isPartial;
            isPartial = !parser.isAtRest();
            if (isPartial && !wasPartial) {
                startedAtNanos = context.sweptAtNanos;
            }
        }
        activeAtNanos = context.sweptAtNanos;
        settle();
        return false;
    }

    private void refuse(HttpFailure failure) {
        Rejection why =
                switch (failure.status()) {
                    case 413, 414, 431 -> Rejection.LIMITS;
                    case 503 -> Rejection.BYTES;
                    case 408 -> Rejection.DEADLINE;
                    default -> Rejection.MALFORMED;
                };
        context.statistics.reject(why);
        Problem problem = Problem.of(failure.status(), failure.detail());
        if (failure.status() == 503) {
            problem.header("Retry-After: 1");
        }
        boolean sendsBody = !parser.head().method().equals("HEAD");
        output.add(
                ResponseEncoder.encode(
                        problem.response(), Framing.LENGTH, Persistence.CLOSES, sendsBody));
        phase = Phase.LAST;
    }

    // ---- Output.

    void respond(Exchange exchange, HttpResponse response) {
        synchronized (this) {
            if (!begin(exchange)) {
                return;
            }
            add(exchange, response);
            finish(exchange);
            if (driving) {
                return;
            }
            settle();
        }
        work();
    }

    /** Marks the exchange as answered; returns false if nobody is there to read it. */
    private boolean begin(Exchange exchange) {
        if (exchange.isAnswered) {
            throw new IllegalStateException("a request is answered once");
        }
        exchange.isAnswered = true;
        context.inputBudget.release(exchange.bodyBytes);
        return phase != Phase.CLOSED;
    }

    private void add(Exchange exchange, HttpResponse wanted) {
        HttpResponse response = wanted;
        boolean isLarge = response.body().length > Output.LARGE_BYTES && !exchange.isHead;
        if (isLarge && !context.outputBudget.tryReserve(response.body().length)) {
            response = noRoom();
            isLarge = false;
        }
        byte[] head =
                ResponseEncoder.encode(
                        response, Framing.LENGTH, persistence(exchange), !exchange.isHead);
        output.add(head);
        if (!exchange.isHead && response.body().length > ResponseEncoder.JOINED_BODY_BYTES) {
            output.add(response.body());
        }
    }

    private HttpResponse noRoom() {
        context.statistics.reject(Rejection.BYTES);
        return Problem.of(503, "Too many answers wait for their readers. Try again later.")
                .header("Retry-After: 1")
                .response();
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
        activeAtNanos = context.sweptAtNanos;
        if (!exchange.staysOpen || context.draining) {
            phase = Phase.LAST;
        }
        if (phase == Phase.LAST) {
            dropWaiting();
        }
    }

    void stream(Exchange exchange, HttpResponse head, StreamSource source) {
        boolean isRefused;
        synchronized (this) {
            boolean isThere = begin(exchange);
            isRefused = !isThere || exchange.isHead || !reserveStream();
            if (isThere && exchange.isHead) {
                output.add(
                        ResponseEncoder.encode(
                                head, Framing.CHUNKED, persistence(exchange), false));
                finish(exchange);
            } else if (isThere && isRefused) {
                add(exchange, noRoom());
                finish(exchange);
            } else if (isThere) {
                start(exchange, head, source);
            }
            if (!driving) {
                settle();
            }
        }
        if (isRefused) {
            source.close();
        }
        work();
    }

    private boolean reserveStream() {
        return context.outputBudget.tryReserve(ResponseStream.RESERVED_BYTES);
    }

    private void start(Exchange exchange, HttpResponse head, StreamSource source) {
        boolean isChunked = !exchange.isHttp10;
        exchange.stream = new ResponseStream(this, source, isChunked);
        output.add(
                ResponseEncoder.encode(
                        head,
                        isChunked ? Framing.CHUNKED : Framing.UNTIL_CLOSE,
                        isChunked ? persistence(exchange) : Persistence.CLOSES,
                        true));
    }

    /** The source of a stream has delivered. */
    void delivered(ResponseStream stream, List<byte[]> pieces, Ending ending) {
        boolean isOver;
        synchronized (this) {
            Exchange exchange = inFlight;
            if (stream.isOver || exchange == null || exchange.stream != stream) {
                return;
            }
            stream.isAwaited = false;
            Ending outcome = ending;
            for (byte[] piece : pieces) {
                if (piece.length > Output.LARGE_BYTES
                        && !context.outputBudget.tryReserve(piece.length)) {
                    context.statistics.reject(Rejection.BYTES);
                    outcome = Ending.ABORT;
                    break;
                }
                output.add(piece);
            }
            isOver = outcome != Ending.MORE;
            if (isOver) {
                over(stream);
                finish(exchange);
                if (!stream.isChunked || outcome == Ending.ABORT) {
                    phase = Phase.LAST;
                    dropWaiting();
                }
                // Without framing, an ordinary end would look complete.
                resets = !stream.isChunked && outcome == Ending.ABORT;
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

    private void over(ResponseStream stream) {
        stream.isOver = true;
        context.outputBudget.release(ResponseStream.RESERVED_BYTES);
    }

    private void dropWaiting() {
        if (waiting != null) {
            context.inputBudget.release(waiting.length);
            waiting = null;
        }
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
                activeAtNanos = context.sweptAtNanos;
            }
        } catch (IOException e) {
            broken = true;
            return;
        }
        if (output.isEmpty() && phase == Phase.LAST && inFlight == null) {
            startLingering();
        }
        if (readPaused && canRead()) {
            readPaused = false;
        }
        listen((readPaused ? 0 : READABLE) | (output.isEmpty() ? 0 : WRITEABLE));
    }

    private void startLingering() {
        if (resets) {
            HalfClose.reset(socket);
            broken = true;
            return;
        }
        phase = Phase.LINGERING;
        startedAtNanos = context.sweptAtNanos;
        HalfClose.shutdownOutput(socket);
    }

    private boolean canRead() {
        return switch (phase) {
            case OPEN ->
                    inFlight == null
                            && !driving
                            && waiting == null
                            && output.unsentBytes() <= MAX_UNSENT_BYTES;
            case LINGERING -> true;
            case LAST, CLOSED -> false;
        };
    }

    // ---- What is to be done without the lock, by one thread at a time.

    private void work() {
        synchronized (this) {
            if (working || (!broken && nextWork() == Work.None.NONE)) {
                return;
            }
            working = true;
        }
        while (true) {
            Work next;
            synchronized (this) {
                next = takeWork();
                if (next == Work.None.NONE) {
                    working = false;
                    return;
                }
            }
            switch (next) {
                case Work.Drive(byte[] input, int from) -> drive(input, from, input.length);
                case Work.Pull(ResponseStream stream) -> pull(stream);
                case Work.None ignored -> close();
            }
        }
    }

    /** What there is to do; changes nothing. */
    private Work nextWork() {
        if (phase == Phase.CLOSED) {
            return Work.None.NONE;
        }
        if (broken) {
            return Work.None.CLOSE;
        }
        if (driving || output.unsentBytes() > MAX_UNSENT_BYTES) {
            return Work.None.NONE;
        }
        if (inFlight == null) {
            return waiting != null && phase == Phase.OPEN
                    ? new Work.Drive(waiting, waitingFrom)
                    : Work.None.NONE;
        }
        ResponseStream stream = inFlight.stream;
        if (stream == null || stream.isAwaited || stream.isOver) {
            return Work.None.NONE;
        }
        return output.unsentBytes() <= ResponseStream.WINDOW_BYTES
                ? new Work.Pull(stream)
                : Work.None.NONE;
    }

    private Work takeWork() {
        Work next = nextWork();
        switch (next) {
            case Work.Drive ignored -> {
                driving = true;
                driven = waiting;
                waiting = null;
            }
            case Work.Pull(ResponseStream stream) -> stream.isAwaited = true;
            case Work.None ignored -> {
                // Nothing to claim.
            }
        }
        return next;
    }

    private void pull(ResponseStream stream) {
        try {
            stream.source.pull(stream);
        } catch (RuntimeException | Error e) {
            log.error("A streamed answer failed", e);
            stream.abort();
        }
    }

    // ---- The end.

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
            dropWaiting();
            if (!driving) {
                parser.drop();
            }
            if (inFlight != null && inFlight.stream != null && !inFlight.stream.isOver) {
                stream = inFlight.stream;
                over(stream);
            }
            inFlight = null;
        }
        context.connections.remove(this);
        if (stream != null) {
            stream.source.close();
        }
    }

    synchronized boolean isClosed() {
        return phase == Phase.CLOSED;
    }

    /** Whether no request is in flight, in part here, or not wholly answered. */
    synchronized boolean isIdle() {
        return phase == Phase.CLOSED
                || (inFlight == null && output.isEmpty() && waiting == null && !isPartial);
    }

    /** Closes the connection, or ends its request, if a deadline has passed. */
    void sweep(long nowNanos) {
        synchronized (this) {
            broken |= isTooSlow(nowNanos);
        }
        work();
    }

    private boolean isTooSlow(long nowNanos) {
        HttpDeadlines deadlines = context.limits.deadlines();
        if (phase == Phase.CLOSED || driving) {
            return false;
        }
        if (phase == Phase.LINGERING) {
            return nowNanos - startedAtNanos > deadlines.linger().toNanos();
        }
        if (!output.isEmpty()) {
            boolean isStalled = nowNanos - activeAtNanos > deadlines.writeStall().toNanos();
            if (isStalled) {
                context.statistics.reject(Rejection.DEADLINE);
            }
            return isStalled;
        }
        if (inFlight != null || phase != Phase.OPEN) {
            return false;
        }
        if (!isPartial) {
            return nowNanos - activeAtNanos > deadlines.idle().toNanos();
        }
        long limit = deadlines.header().toNanos();
        if (parser.isInBody()) {
            limit =
                    deadlines.bodyGrace().toNanos()
                            + 1_000_000_000L
                                    * parser.receivedBodyBytes()
                                    / deadlines.bodyBytesPerSecond();
        }
        if (nowNanos - startedAtNanos > limit) {
            parser.drop();
            refuse(new HttpFailure(408, "The request took too long to arrive."));
            settle();
        }
        return false;
    }
}
