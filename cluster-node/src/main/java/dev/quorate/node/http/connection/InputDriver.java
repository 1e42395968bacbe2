package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.budget.Strangers;
import dev.quorate.node.http.connection.ConnectionState.Input;
import dev.quorate.node.http.connection.ConnectionState.Protocol;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.parse.BodyParser;
import dev.quorate.node.http.parse.HttpFailure;
import dev.quorate.node.http.parse.RequestHead;
import dev.quorate.node.http.parse.RequestParser;
import dev.quorate.router.runtime.HeldRoom;
import dev.quorate.router.runtime.RoomQueue;
import java.io.IOException;
import java.util.List;
import javax.net.ssl.SSLException;
import one.nio.net.SocketClosedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The input side of a connection: reads, parses, calls the handler, and waits for room for a large
 * body. {@link HttpConnection} explains the driver and the lock.
 */
final class InputDriver implements RoomQueue.Waiter {

    private static final Logger LOG = LoggerFactory.getLogger(InputDriver.class);

    /**
     * How many bytes of a request are read at first while large bodies wait for room, or have not
     * asked for it yet: the part of a large body that was read remains in memory while it waits.
     */
    private static final int FIRST_BYTES = 8 * 1024;

    private final ListenerContext context;
    private final ConnectionCore core;
    private final ConnectionCore.Lock lock;
    private final ConnectionState state;
    private final AnswerQueue answers;
    private final Exchange.Connection connection;

    /** Takes the steps that follow from a change. Called without the lock. */
    private final Runnable takeSteps;

    /** Used by the driver; without a driver, with the lock held. */
    private final RequestParser parser;

    /** The room for the large body that asks for it. Written by the driver before it asks. */
    private long roomBytes;

    InputDriver(
            ConnectionCore core,
            AnswerQueue answers,
            Exchange.Connection connection,
            Runnable takeSteps) {
        this.core = core;
        this.answers = answers;
        this.connection = connection;
        this.takeSteps = takeSteps;
        context = core.context;
        lock = core.lock;
        state = core.state;
        parser =
                new RequestParser(
                        context.limits, context.bodies, context.heads, this::refusal, true);
    }

    // ---- Reading, by the selector's thread. The private methods are called with the lock held.

    /** Reads input that no event of the socket reports, and takes the steps that follow. */
    void readPlanned() {
        try (var _ = lock.held()) {
            core.isReadPlanned = false;
        }
        readInput(TlsWire.buffer(), false);
        takeSteps.run();
    }

    void readInput(byte[] buffer, boolean isClosing) {
        int count = 0;
        boolean asks = false;
        try (var _ = lock.held()) {
            Input next = state.readable(core.output.unsentBytes(), core.waiting.isPresent());
            boolean isUnread = isClosing && (next != Input.PARSE || core.wire.isPaused());
            if (isUnread && next != Input.DISCARD) {
                state.fail(); // Otherwise it would wake the selector again and again.
            } else {
                switch (next) {
                    case PARSE -> count = receive(buffer);
                    case DISCARD -> discard(buffer);
                    case ASK_FOR_ROOM -> {
                        asks = true;
                        core.sendAndListen();
                    }
                    // A client that vanished silently is detected by writing to it.
                    case WAIT -> core.sendAndListen();
                }
            }
        }
        if (count > 0) {
            context.statistics.bytesRead.add(count);
            drive(buffer, 0, count);
        } else if (asks) {
            context.bodyQueue.join(this);
        }
    }

    /** Receives input to parse; returns 0 if there is none. */
    private int receive(byte[] buffer) {
        try {
            boolean anyWaits =
                    context.bodyQueue.isWaitedFor() || context.beforeRoom.usedBytes() > 0;
            boolean isFirst = anyWaits && parser.isAtRest();
            int most = isFirst ? Math.min(FIRST_BYTES, buffer.length) : buffer.length;
            int count = core.wire.read(buffer, most);
            if (state.received(count)) {
                return count;
            }
            if (context.tls != null) {
                core.sendAndListen();
            }
        } catch (SocketClosedException e) {
            onEndOfInput();
        } catch (TlsWire.PlainInputException e) {
            // The answer is in plain text, which the client can read.
            refuse(HttpFailure.malformed("This port takes TLS alone: use https://."));
        } catch (SSLException e) {
            refuseHandshake(e);
        } catch (IOException e) {
            state.fail();
        }
        return 0;
    }

    private void discard(byte[] buffer) {
        try {
            var _ = state.received(core.wire.discard(buffer));
        } catch (IOException e) {
            state.fail();
        }
    }

    private void onEndOfInput() {
        if (state.endOfInput(!parser.isAtRest(), core.output.unsentBytes())) {
            refuse(HttpFailure.malformed("The request ends in the middle."));
        } else {
            core.sendAndListen();
        }
    }

    /** Refuses a failed handshake: the client gets an alert, and time to read it. */
    private void refuseHandshake(SSLException why) {
        if (context.tls != null) {
            context.tls.noteFailure(core.session.getRemoteHost(), why, context.sweptAtNanos);
        }
        if (why instanceof UselessRecords.UselessRecordsException) {
            context.statistics.reject(Rejection.TLS_RECORDS);
        }
        parser.drop();
        state.refused();
        core.sendAndListen();
    }

    // ---- Parsing and handling, by the driver.

    /** Parses and handles requests until the input is used up or a request remains in flight. */
    void drive(byte[] input, int from, int to) {
        int at = from;
        boolean continues = true;
        while (continues) {
            RequestParser.Event event = parser.feed(input, at, to);
            at = parser.position();
            continues =
                    switch (event) {
                        case REQUEST -> handle() && continueAfterRequest(input, at, to);
                        case CONTINUE -> sendContinue();
                        case ROOM ->
                                reserveRoom(to == input.length) || stopBeforeRoom(input, at, to);
                        case MORE -> stop(null);
                        case FAILED -> stop(parser.failure());
                    };
        }
    }

    /** The refusal of a body, or null. A client whose body is read has authenticated if it must. */
    private @Nullable HttpResponse refusal(RequestHead head) {
        HttpResponse refusal = context.handler.refusal(head);
        if (refusal == null) {
            noteAuthenticated();
        }
        return refusal;
    }

    /** Notes that the client has authenticated, if it must. With or without the lock. */
    void noteAuthenticated() {
        Strangers strangers = context.strangers;
        if (strangers != null) {
            try (var _ = lock.held()) {
                state.proved();
            }
            strangers.remove(connection);
        }
    }

    /** Passes the parsed request to the handler. False if the client is gone. */
    private boolean handle() {
        RequestHead head = parser.head();
        byte[] body = parser.takeBody();
        Exchange exchange = new Exchange(connection, head, parser.takenBytes(), parser.takenFrom());
        try (var _ = lock.held()) {
            if (!state.beginHandling()) {
                exchange.releaseBody();
                endDriving();
                return false;
            }
            answers.awaits(exchange);
            core.times.complete();
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
                connection.respond(
                        exchange,
                        Problem.response(500, "The server failed to handle this."),
                        HeldRoom.NONE);
            }
        }
        return true;
    }

    /** Upgrades to messages. Called by the handler; the driver sends the answer afterwards. */
    void upgrade(Exchange exchange, HttpRequest request) {
        if (parser.isUpgraded() || !Handshake.isAskedFor(request, parser.head())) {
            connection.respond(exchange, Handshake.REQUIRED, HeldRoom.NONE);
            return;
        }
        List<String> headers = Handshake.answer(request);
        if (headers == null) {
            connection.respond(exchange, Handshake.MALFORMED, HeldRoom.NONE);
            return;
        }
        noteAuthenticated();
        try (var _ = lock.held()) {
            if (!state.isDriven()) {
                throw new IllegalStateException("too late: what follows may have been read");
            }
            answers.addUpgrade(exchange, headers);
        }
    }

    private boolean continueAfterRequest(byte[] input, int at, int to) {
        try (var _ = lock.held()) {
            parser.next();
            if (state.protocol() == Protocol.MESSAGES && !parser.isUpgraded()) {
                parser.upgrade();
            }
            switch (state.handled(core.output.unsentBytes())) {
                case PARSE -> {
                    return true;
                }
                case KEEP -> {
                    if (at < to && !core.waiting.retain(input, at, to)) {
                        // Pipelined requests are dropped; the answer in flight closes the
                        // connection.
                        context.statistics.reject(Rejection.BYTES);
                        state.restDropped();
                    }
                }
                case DROP -> {}
            }
            endDriving();
            core.sendAndListen();
            return false;
        }
    }

    private boolean sendContinue() {
        try (var _ = lock.held()) {
            core.output.addContinue();
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
                core.times.parsed(!parser.isAtRest(), context.sweptAtNanos);
                core.sendAndListen();
            }
            return false;
        }
    }

    /** Releases what the driver used. With the lock held. */
    private void endDriving() {
        core.waiting.onParsed();
        if (state.isClosed()) {
            parser.drop();
        }
    }

    // ---- Room for a large body: asked for by the driver.

    /**
     * Reserves room for a large body at once, if no other body waits for room and the client is
     * known to send: it has filled the buffer, or waits for 100 (Continue).
     */
    private boolean reserveRoom(boolean isBufferFull) {
        roomBytes = context.bodyQueue.charge(parser.declaredBytes());
        boolean isSending = isBufferFull || parser.isContinueDue();
        if (!isSending || !context.bodyQueue.tryTake(roomBytes)) {
            return false;
        }
        parser.granted(roomBytes);
        try (var _ = lock.held()) {
            core.times.granted();
        }
        return true;
    }

    /** Stops the driver before a large body that has no room. */
    private boolean stopBeforeRoom(byte[] input, int at, int to) {
        boolean asks = false;
        try (var _ = lock.held()) {
            boolean isKept = core.waiting.retainBodyStart(input, at, to);
            state.stoppedBeforeRoom();
            endDriving();
            if (state.isOver()) {
                return false;
            }
            if (isKept) {
                core.times.parsed(true, context.sweptAtNanos);
                core.times.awaitsRoom();
                asks = parser.isContinueDue();
                if (asks) {
                    state.asksForRoom();
                }
                core.sendAndListen();
            } else {
                refuse(BodyParser.NO_ROOM);
            }
        }
        if (asks) {
            context.bodyQueue.join(this);
        }
        return false;
    }

    @Override
    public String address() {
        return connection.address();
    }

    @Override
    public long bytes() {
        return roomBytes;
    }

    /** May be called with the locks of another connection held. */
    @Override
    public void granted() {
        var _ = core.tasks.later(this::useRoom);
    }

    /** Parses the body that has got room; releases the room if the client is gone. */
    private void useRoom() {
        boolean isWanted;
        try (var _ = lock.held()) {
            isWanted = state.roomGranted();
            if (isWanted) {
                parser.granted(roomBytes);
                core.times.granted();
            }
        }
        if (isWanted) {
            takeSteps.run();
        } else {
            context.bodyQueue.release(roomBytes);
        }
    }

    /** Refuses a body that has waited for room too long. With the lock held. */
    void refuseIfRoomIsLate(long nowNanos) {
        if (core.times.hasWaitedForRoom(nowNanos) && context.bodyQueue.remove(this)) {
            refuse(BodyParser.NO_ROOM);
        }
    }

    // ---- The end of the input, with the lock held and without a driver.

    /** Drops the input, and sends a refusal, which is the last answer. */
    void refuse(HttpFailure failure) {
        parser.drop();
        core.waiting.drop();
        answers.addRefusal(failure, parser.head().method().equals("HEAD"));
        core.sendAndListen();
    }

    /** The parser, if the client has to send a request or the rest of one; otherwise null. */
    @Nullable RequestParser awaitingParser() {
        return state.awaitsRequest() ? parser : null;
    }

    /** Drops the input of a closed connection. A driver drops its own input when it stops. */
    void drop() {
        core.waiting.drop();
        if (!state.isDriven()) {
            parser.drop();
        }
    }
}
