package dev.quorate.node.http;

/**
 * Decides what a connection does next: each event returns the next step. Pure: {@link
 * HttpConnection} has the lock, the socket, the buffers and the clock, and calls this with its lock
 * held.
 *
 * <p>The bytes that wait to be sent ({@code unsentBytes}) and the input that waits to be parsed
 * ({@code inputWaits}) change with every call of the socket, so they are parameters.
 */
final class ConnectionState {

    /** No further request is parsed while so much waits to be sent. */
    static final long MAX_UNSENT_BYTES = 256 * 1024;

    /** The most that a connection reads and discards after its last answer. */
    static final long MAX_LINGERING_BYTES = 64L << 20;

    /**
     * The phase of the connection. The <i>driver</i> is the thread that parses input and calls the
     * handler; there is at most one. <i>Last</i> means that no further request is parsed.
     */
    private enum Phase {
        /** No request is in flight, and there is no driver. */
        IDLE,
        /** The driver parses; no request is in flight. */
        PARSING,
        /**
         * A large body has no room, and nothing is read. It asks for room when more of it has come.
         */
        BEFORE_ROOM,
        /** It has asked, and waits for its turn. */
        AWAITING_ROOM,
        /** The driver has called the handler; the request is not answered. */
        HANDLING,
        /** The driver has called the handler; the request is answered with a stream. */
        HANDLING_STREAM,
        /** The request in flight is not answered. */
        IN_FLIGHT,
        /** A streamed answer is being sent; its source is pulled when all of it is sent. */
        STREAMING,
        /** The source of a streamed answer was pulled, and has not delivered. */
        PULLING,

        /** The last answer is queued; the driver has not returned from the handler. */
        LAST_PARSING,
        /** As {@link #IN_FLIGHT}; its answer will be the last. */
        LAST_IN_FLIGHT,
        /** As {@link #STREAMING}; it is the last. */
        LAST_STREAMING,
        /** As {@link #PULLING}; it is the last. */
        LAST_PULLING,
        /** The last answer is queued whole. */
        LAST_SENDING,
        /**
         * As {@link #LAST_SENDING}; then a reset follows, because an orderly end would look
         * complete.
         */
        RESETTING,
        /** Everything is sent; input is discarded until the client closes. */
        LINGERING,

        /** To be closed. Answers are dropped. */
        BROKEN,
        /** The same; the driver has not stopped. */
        BROKEN_DRIVEN,
        CLOSED,
        /** The driver still uses the parser. */
        CLOSED_DRIVEN
    }

    /** What the client sends. */
    enum Protocol {
        REQUESTS,
        MESSAGES
    }

    /** What to do with a readable socket. */
    enum Input {
        PARSE,
        DISCARD,
        /** Do not read, but ask for the room of a large body. */
        ASK_FOR_ROOM,
        /** Do not read, and do not listen for input for now. */
        WAIT
    }

    /** What the driver does after a request. */
    enum Rest {
        /** It parses the next request. */
        PARSE,
        /** It stops, and keeps the rest of the input. */
        KEEP,
        /** It stops, and drops the rest of the input. */
        DROP
    }

    /** What follows after output was sent. */
    enum Sent {
        GO_ON,
        /** End the output, and linger. */
        END_OUTPUT,
        RESET
    }

    /** What to do without the lock, by one thread at a time. */
    enum Step {
        NONE,
        /** Parse the waiting input. */
        DRIVE,
        /** Pull the source of the streamed answer. */
        PULL,
        CLOSE
    }

    /** What to do at a sweep. */
    enum Sweep {
        LEAVE,
        /** The deadline of those who wait for room decides. */
        JUDGE_WAIT,
        /** Close: the client did not authenticate in time. */
        REJECT,
        /** The deadlines decide. */
        JUDGE
    }

    private enum Client {
        STRANGER,
        KNOWN
    }

    private enum Listening {
        FOR_INPUT,
        /** Unread input would wake the selector again and again. */
        PAUSED
    }

    private final long proveByNanos;
    private Phase phase = Phase.IDLE;
    private Protocol protocol = Protocol.REQUESTS;
    private Listening listening = Listening.FOR_INPUT;
    private Client client;
    private long lingeredBytes;

    private ConnectionState(Client client, long proveByNanos) {
        this.client = client;
        this.proveByNanos = proveByNanos;
    }

    /** For a listener without authentication. */
    static ConnectionState ofAnybody() {
        return new ConnectionState(Client.KNOWN, 0);
    }

    /** For a client that must authenticate until then. */
    static ConnectionState ofStranger(long proveByNanos) {
        return new ConnectionState(Client.STRANGER, proveByNanos);
    }

    // ---- Reading.

    /** The socket has input, or an end of it. */
    Input readable(long unsentBytes, boolean inputWaits) {
        if (phase == Phase.BEFORE_ROOM) {
            asksForRoom();
            return Input.ASK_FOR_ROOM;
        }
        if (!canRead(unsentBytes, inputWaits)) {
            listening = Listening.PAUSED;
            return Input.WAIT;
        }
        return phase == Phase.LINGERING ? Input.DISCARD : Input.PARSE;
    }

    private boolean canRead(long unsentBytes, boolean inputWaits) {
        return switch (phase) {
            case IDLE -> !inputWaits && unsentBytes <= MAX_UNSENT_BYTES;
            case LINGERING, BEFORE_ROOM -> true;
            default -> false;
        };
    }

    /** Notes what was read. Returns whether the reader becomes the driver, and parses it. */
    boolean received(int bytes) {
        if (phase == Phase.LINGERING) {
            lingeredBytes += bytes;
            if (lingeredBytes > MAX_LINGERING_BYTES) {
                fail();
            }
            return false;
        }
        if (phase != Phase.IDLE) {
            throw unexpected("input");
        }
        if (bytes == 0) {
            return false;
        }
        phase = Phase.PARSING;
        return true;
    }

    /**
     * The client has ended its input. Returns whether a request is incomplete, which must be {@link
     * #refused}.
     */
    boolean endOfInput(boolean isInRequest, long unsentBytes) {
        if (phase == Phase.IDLE && isInRequest) {
            return true;
        }
        if (phase == Phase.IDLE && unsentBytes > 0) {
            phase = Phase.LAST_SENDING;
            listening = Listening.PAUSED; // An end of input stays readable.
        } else {
            fail();
        }
        return false;
    }

    // ---- Parsing and handling, by the driver.

    /** A request is ready for the handler. False if the client is gone: then the driver stops. */
    boolean handing() {
        if (phase != Phase.PARSING) {
            stopped();
            return false;
        }
        phase = Phase.HANDLING;
        return true;
    }

    /** The handler has returned. */
    Rest handled(long unsentBytes) {
        if (phase == Phase.PARSING && unsentBytes <= MAX_UNSENT_BYTES) {
            return Rest.PARSE;
        }
        stopped();
        return isLast() || isOver() ? Rest.DROP : Rest.KEEP;
    }

    /** There is no room for the rest of the input: the answer in flight is the last. */
    void restDropped() {
        phase =
                switch (phase) {
                    case IDLE -> Phase.LAST_SENDING;
                    case IN_FLIGHT -> Phase.LAST_IN_FLIGHT;
                    case STREAMING -> Phase.LAST_STREAMING;
                    default -> throw unexpected("a rest that is dropped");
                };
    }

    /** The driver has stopped. */
    void stopped() {
        phase =
                switch (phase) {
                    case PARSING -> Phase.IDLE;
                    case HANDLING -> Phase.IN_FLIGHT;
                    case HANDLING_STREAM -> Phase.STREAMING;
                    case LAST_PARSING -> Phase.LAST_SENDING;
                    case BROKEN_DRIVEN -> Phase.BROKEN;
                    case CLOSED_DRIVEN -> Phase.CLOSED;
                    default -> throw unexpected("a driver that stops");
                };
    }

    /** The driver has stopped before a large body that has no room. */
    void stoppedBeforeRoom() {
        stopped();
        if (phase == Phase.IDLE) {
            phase = Phase.BEFORE_ROOM;
        }
    }

    /** It asks for room now: nothing wakes the selector until there is some. */
    void asksForRoom() {
        if (phase != Phase.BEFORE_ROOM) {
            throw unexpected("a request for room");
        }
        phase = Phase.AWAITING_ROOM;
        listening = Listening.PAUSED;
    }

    /** There is room. False if the client is gone, or was refused. */
    boolean roomGranted() {
        if (phase != Phase.AWAITING_ROOM) {
            return false;
        }
        phase = Phase.IDLE;
        return true;
    }

    /** The input is invalid, and the answer to it is queued. */
    void refused() {
        if (phase != Phase.IDLE && phase != Phase.BEFORE_ROOM && phase != Phase.AWAITING_ROOM) {
            throw unexpected("a refusal");
        }
        phase = Phase.LAST_SENDING;
    }

    /** The client has authenticated, or its request needs no authentication. */
    void proved() {
        client = Client.KNOWN;
    }

    // ---- Answering.

    /** Whether the request in flight can be answered; false if the client is gone. */
    boolean takesAnswer() {
        return switch (phase) {
            case HANDLING, IN_FLIGHT, LAST_IN_FLIGHT -> true;
            default -> false;
        };
    }

    /** The whole answer is queued. */
    void answered(boolean isLast) {
        phase =
                switch (phase) {
                    case HANDLING -> isLast ? Phase.LAST_PARSING : Phase.PARSING;
                    case IN_FLIGHT, STREAMING, PULLING -> isLast ? Phase.LAST_SENDING : Phase.IDLE;
                    case LAST_IN_FLIGHT, LAST_STREAMING, LAST_PULLING -> Phase.LAST_SENDING;
                    default -> throw unexpected("an answer");
                };
    }

    /** The answer 101 is queued: messages follow. */
    void upgraded() {
        protocol = Protocol.MESSAGES;
    }

    /** The head of a streamed answer is queued. */
    void streaming() {
        phase =
                switch (phase) {
                    case HANDLING -> Phase.HANDLING_STREAM;
                    case IN_FLIGHT -> Phase.STREAMING;
                    case LAST_IN_FLIGHT -> Phase.LAST_STREAMING;
                    default -> throw unexpected("a streamed answer");
                };
    }

    /**
     * Whether the source of a streamed answer may deliver. It may do so without a pull: a source
     * that has delivered and then fails ends the answer.
     */
    boolean takesDelivery() {
        return switch (phase) {
            case STREAMING, PULLING, LAST_STREAMING, LAST_PULLING -> true;
            default -> false;
        };
    }

    /** The source has delivered, and has more. */
    void delivered() {
        phase =
                switch (phase) {
                    case STREAMING, PULLING -> Phase.STREAMING;
                    case LAST_STREAMING, LAST_PULLING -> Phase.LAST_STREAMING;
                    default -> throw unexpected("a delivery");
                };
    }

    /** A streamed answer without framing ended too early. */
    void cutOff() {
        if (!takesDelivery()) {
            throw unexpected("an answer that is cut off");
        }
        phase = Phase.RESETTING;
    }

    // ---- Sending.

    /** The socket has taken as much as it can now. */
    Sent sent(long unsentBytes) {
        if (unsentBytes > 0) {
            return Sent.GO_ON;
        }
        return switch (phase) {
            case LAST_SENDING -> {
                phase = Phase.LINGERING;
                yield Sent.END_OUTPUT;
            }
            case RESETTING -> {
                phase = Phase.BROKEN;
                yield Sent.RESET;
            }
            default -> Sent.GO_ON;
        };
    }

    /** Whether the selector must watch for input. */
    boolean listensForInput(long unsentBytes, boolean inputWaits) {
        if (listening == Listening.PAUSED && canRead(unsentBytes, inputWaits)) {
            listening = Listening.FOR_INPUT;
        }
        return listening == Listening.FOR_INPUT;
    }

    // ---- Next step and end.

    /** The next step, which counts as begun. */
    Step next(long unsentBytes, boolean inputWaits) {
        return switch (phase) {
            case BROKEN, BROKEN_DRIVEN -> Step.CLOSE;
            case IDLE -> {
                if (!inputWaits || unsentBytes > MAX_UNSENT_BYTES) {
                    yield Step.NONE;
                }
                phase = Phase.PARSING;
                yield Step.DRIVE;
            }
            case STREAMING, LAST_STREAMING -> {
                if (unsentBytes > 0) {
                    yield Step.NONE;
                }
                phase = phase == Phase.STREAMING ? Phase.PULLING : Phase.LAST_PULLING;
                yield Step.PULL;
            }
            default -> Step.NONE;
        };
    }

    /** A sweep compares deadlines. */
    Sweep sweep(long nowNanos, boolean hasLingered) {
        if (isOver()) {
            return Sweep.LEAVE;
        }
        if (client == Client.STRANGER && nowNanos - proveByNanos > 0) {
            fail();
            return Sweep.REJECT;
        }
        if (phase == Phase.LINGERING) {
            if (hasLingered) {
                fail();
            }
            return Sweep.LEAVE;
        }
        if (phase == Phase.AWAITING_ROOM) {
            return Sweep.JUDGE_WAIT;
        }
        return isDriven() ? Sweep.LEAVE : Sweep.JUDGE;
    }

    /** The connection has failed. */
    void fail() {
        if (!isOver()) {
            phase = isDriven() ? Phase.BROKEN_DRIVEN : Phase.BROKEN;
        }
    }

    /** The connection is being closed. False if it was closed before. */
    boolean close() {
        if (isClosed()) {
            return false;
        }
        phase = isDriven() ? Phase.CLOSED_DRIVEN : Phase.CLOSED;
        return true;
    }

    // ---- State.

    Protocol protocol() {
        return protocol;
    }

    /** Whether there is a driver, which owns the parser and sends answers. */
    boolean isDriven() {
        return switch (phase) {
            case PARSING, HANDLING, HANDLING_STREAM, LAST_PARSING, BROKEN_DRIVEN, CLOSED_DRIVEN ->
                    true;
            default -> false;
        };
    }

    /** Whether no further request is parsed, and answers are still sent. */
    boolean isLast() {
        return switch (phase) {
            case LAST_PARSING,
                    LAST_IN_FLIGHT,
                    LAST_STREAMING,
                    LAST_PULLING,
                    LAST_SENDING,
                    RESETTING ->
                    true;
            default -> false;
        };
    }

    /** Whether it waits for a request, or for the rest of one. */
    boolean awaitsRequest() {
        return phase == Phase.IDLE;
    }

    /** Whether a large body has no room, and has not asked for it. */
    boolean isBeforeRoom() {
        return phase == Phase.BEFORE_ROOM;
    }

    /** Whether a streamed answer is in flight. */
    boolean isStreaming() {
        return switch (phase) {
            case HANDLING_STREAM, STREAMING, PULLING, LAST_STREAMING, LAST_PULLING -> true;
            default -> false;
        };
    }

    /** Whether nothing is sent any more. */
    boolean hasEnded() {
        return phase == Phase.LINGERING || isClosed();
    }

    /** Whether every request is completely answered. */
    boolean isIdle(long unsentBytes, boolean inputWaits) {
        return switch (phase) {
            case IDLE -> unsentBytes == 0 && !inputWaits;
            case LINGERING, CLOSED, CLOSED_DRIVEN -> true;
            default -> false;
        };
    }

    /** Whether it is closed, or to be closed. */
    boolean isOver() {
        return switch (phase) {
            case BROKEN, BROKEN_DRIVEN, CLOSED, CLOSED_DRIVEN -> true;
            default -> false;
        };
    }

    boolean isClosed() {
        return phase == Phase.CLOSED || phase == Phase.CLOSED_DRIVEN;
    }

    private IllegalStateException unexpected(String event) {
        return new IllegalStateException(event + " while the connection is " + phase);
    }
}
