package dev.quorate.node.http.connection;

/**
 * Decides what a connection does next: each event returns the next step. Pure: {@link
 * ConnectionCore} has the lock, the socket and the buffers. Every method is called with the lock
 * held.
 *
 * <p>The state is the product of three facts: how far the connection is from its end ({@link End}),
 * whether it has a driver, and what is in flight ({@link Work}). The <i>driver</i> is the thread
 * that parses input and calls the handler; there is at most one. Invariants:
 *
 * <ol>
 *   <li>Nothing is in flight once the connection lingers, is broken or closed: what comes for it
 *       then is dropped.
 *   <li>Only a connection that is {@code OPEN} waits for room, and without a driver.
 *   <li>Nothing is pulled while there is a driver: it sends what the handler has queued first.
 * </ol>
 *
 * <p>A single enum of all combinations would have 20 phases, of which most events would name five.
 *
 * <p>The bytes that wait to be sent ({@code unsentBytes}) and the input that waits to be parsed
 * ({@code inputWaits}) change with every call of the socket, so they are parameters.
 */
final class ConnectionState {

    /** No further request is parsed while more than this waits to be sent. */
    static final long MAX_UNSENT_BYTES = 256 * 1024;

    /** Maximum number of bytes that a connection reads and discards after its last answer. */
    static final long MAX_LINGERING_BYTES = 64L << 20;

    private enum End {
        /** Further requests are parsed. */
        OPEN,
        /** The answer in flight, or the one that is queued, is the last. */
        LAST,
        /** Everything is sent; input is discarded until the client closes. */
        LINGERING,
        /** To be closed. Answers are dropped. */
        BROKEN,
        /** The driver, if there is one, still uses the parser. */
        CLOSED
    }

    private enum Work {
        NONE,
        /**
         * A large body has no room, and nothing is read. When more of it arrives, it asks for room.
         */
        BEFORE_ROOM,
        /** A large body has asked for room, and waits for it. */
        AWAITING_ROOM,
        /** The handler has a request, which is not answered. */
        UNANSWERED,
        /** A streamed answer that is being sent; its source is pulled when all of it is sent. */
        STREAMING,
        /** A streamed answer whose source was pulled, and has not delivered. */
        PULLING,
        /**
         * The rest of a streamed answer that is cut off; then a reset follows, because an orderly
         * end would look complete.
         */
        CUT_OFF
    }

    /** The protocol of the client's input. */
    enum Protocol {
        REQUESTS,
        MESSAGES
    }

    /** The action for a readable socket. */
    enum Input {
        PARSE,
        DISCARD,
        /** Do not read, but ask for room for a large body. */
        ASK_FOR_ROOM,
        /** Do not read, and do not listen for input for now. */
        WAIT
    }

    /** The driver's action after a request. */
    enum Rest {
        /** It parses the next request. */
        PARSE,
        /** It stops, and retains the rest of the input. */
        KEEP,
        /** It stops, and drops the rest of the input. */
        DROP
    }

    /** The action after output was sent. */
    enum Sent {
        GO_ON,
        /** End the output, and linger. */
        END_OUTPUT,
        RESET
    }

    /** The action that follows without the lock, by one thread at a time. */
    enum Step {
        NONE,
        /** Parse the waiting input. */
        DRIVE,
        /** Pull the source of the streamed answer. */
        PULL,
        CLOSE
    }

    enum Sweep {
        LEAVE,
        /** The deadline for waiting for room decides. */
        JUDGE_WAIT,
        /** Close: the client did not authenticate in time. */
        REJECT,
        /** The deadlines decide. */
        JUDGE
    }

    private final long proveByNanos;
    private End end = End.OPEN;
    private Work work = Work.NONE;
    private boolean isDriven;
    private Protocol protocol = Protocol.REQUESTS;

    /** Whether input is not watched for: unread input would wake the selector repeatedly. */
    private boolean isPaused;

    private boolean isKnown;
    private long lingeredBytes;

    /**
     * @param isKnown whether the client need not authenticate; otherwise it must do so before
     *     {@code proveByNanos}
     */
    ConnectionState(boolean isKnown, long proveByNanos) {
        this.isKnown = isKnown;
        this.proveByNanos = proveByNanos;
    }

    // ---- Reading.

    /** The socket has input, or its end. */
    Input readable(long unsentBytes, boolean inputWaits) {
        if (work == Work.BEFORE_ROOM) {
            asksForRoom();
            return Input.ASK_FOR_ROOM;
        }
        if (!canRead(unsentBytes, inputWaits)) {
            isPaused = true;
            return Input.WAIT;
        }
        return end == End.LINGERING ? Input.DISCARD : Input.PARSE;
    }

    private boolean canRead(long unsentBytes, boolean inputWaits) {
        return end == End.LINGERING
                || work == Work.BEFORE_ROOM
                || (awaitsRequest() && !inputWaits && unsentBytes <= MAX_UNSENT_BYTES);
    }

    /** Notes the bytes read. Returns whether the reader becomes the driver and parses them. */
    boolean received(int bytes) {
        if (end == End.LINGERING) {
            lingeredBytes += bytes;
            if (lingeredBytes > MAX_LINGERING_BYTES) {
                fail();
            }
            return false;
        }
        require(awaitsRequest(), "input");
        isDriven = bytes > 0;
        return isDriven;
    }

    /**
     * The client has ended its input. Returns whether a request is incomplete, which must be {@link
     * #refused}.
     */
    boolean endOfInput(boolean isInRequest, long unsentBytes) {
        if (awaitsRequest() && isInRequest) {
            return true;
        }
        if (awaitsRequest() && unsentBytes > 0) {
            end = End.LAST;
            isPaused = true; // An end of input stays readable.
        } else {
            fail();
        }
        return false;
    }

    // ---- Parsing and handling, by the driver.

    /** A request is ready for the handler. False if the client is gone: then the driver stops. */
    boolean beginHandling() {
        if (end != End.OPEN) {
            stopped();
            return false;
        }
        require(isDriven && work == Work.NONE, "a request");
        work = Work.UNANSWERED;
        return true;
    }

    Rest handled(long unsentBytes) {
        if (end == End.OPEN && work == Work.NONE && unsentBytes <= MAX_UNSENT_BYTES) {
            return Rest.PARSE;
        }
        stopped();
        return end == End.OPEN ? Rest.KEEP : Rest.DROP;
    }

    /** There is no room for the rest of the input: the answer in flight is the last. */
    void restDropped() {
        require(end == End.OPEN && !isDriven, "a rest that is dropped");
        end = End.LAST;
    }

    void stopped() {
        require(isDriven, "a driver that stops");
        isDriven = false;
    }

    /** The driver has stopped before a large body that has no room. */
    void stoppedBeforeRoom() {
        stopped();
        if (awaitsRequest()) {
            work = Work.BEFORE_ROOM;
        }
    }

    /** The body asks for room now: nothing wakes the selector until there is room. */
    void asksForRoom() {
        require(work == Work.BEFORE_ROOM, "a request for room");
        work = Work.AWAITING_ROOM;
        isPaused = true;
    }

    /** There is room. False if the client is gone, or was refused. */
    boolean roomGranted() {
        if (work != Work.AWAITING_ROOM) {
            return false;
        }
        work = Work.NONE;
        return true;
    }

    /** The input is invalid, and the answer to it is queued. */
    void refused() {
        boolean waitsForRoom = work == Work.BEFORE_ROOM || work == Work.AWAITING_ROOM;
        require(awaitsRequest() || waitsForRoom, "a refusal");
        end = End.LAST;
        work = Work.NONE;
    }

    /** The client has authenticated, or its request needs no authentication. */
    void proved() {
        isKnown = true;
    }

    // ---- Answering.

    /** Whether the request in flight can be answered; false if the client is gone. */
    boolean canAnswer() {
        return work == Work.UNANSWERED;
    }

    /** The whole answer is queued. */
    void answered(boolean isLast) {
        require(canAnswer() || canDeliver(), "an answer");
        work = Work.NONE;
        end = isLast ? End.LAST : end;
    }

    /** The answer 101 is queued: messages follow. */
    void upgraded() {
        protocol = Protocol.MESSAGES;
    }

    void streaming() {
        require(canAnswer(), "a streamed answer");
        work = Work.STREAMING;
    }

    /**
     * Whether the source of a streamed answer may deliver. It may do so without a pull: a source
     * that has delivered and then fails ends the answer.
     */
    boolean canDeliver() {
        return !isDriven && isStreaming();
    }

    /** The source has delivered, and has more. */
    void delivered() {
        require(canDeliver(), "a delivery");
        work = Work.STREAMING;
    }

    /** A streamed answer without framing ended too early. */
    void cutOff() {
        require(canDeliver(), "an answer that is cut off");
        end = End.LAST;
        work = Work.CUT_OFF;
    }

    // ---- Sending.

    /** The socket has taken as much as it can now. */
    Sent sent(long unsentBytes) {
        if (unsentBytes > 0) {
            return Sent.GO_ON;
        }
        if (work == Work.CUT_OFF) {
            fail();
            return Sent.RESET;
        }
        if (end != End.LAST || isDriven || work != Work.NONE) {
            return Sent.GO_ON;
        }
        end = End.LINGERING;
        return Sent.END_OUTPUT;
    }

    /** Whether the selector must watch for input. */
    boolean listensForInput(long unsentBytes, boolean inputWaits) {
        isPaused = isPaused && !canRead(unsentBytes, inputWaits);
        return !isPaused;
    }

    // ---- Next step and end.

    /** The next step, which counts as begun. */
    Step next(long unsentBytes, boolean inputWaits) {
        if (end == End.BROKEN) {
            return Step.CLOSE;
        }
        if (awaitsRequest() && inputWaits && unsentBytes <= MAX_UNSENT_BYTES) {
            isDriven = true;
            return Step.DRIVE;
        }
        if (work == Work.STREAMING && !isDriven && unsentBytes == 0) {
            work = Work.PULLING;
            return Step.PULL;
        }
        return Step.NONE;
    }

    /** A sweep compares deadlines. */
    Sweep sweep(long nowNanos, boolean hasLingered) {
        if (isOver()) {
            return Sweep.LEAVE;
        }
        if (!isKnown && nowNanos - proveByNanos > 0) {
            fail();
            return Sweep.REJECT;
        }
        if (end == End.LINGERING) {
            if (hasLingered) {
                fail();
            }
            return Sweep.LEAVE;
        }
        if (work == Work.AWAITING_ROOM) {
            return Sweep.JUDGE_WAIT;
        }
        return isDriven ? Sweep.LEAVE : Sweep.JUDGE;
    }

    void fail() {
        if (!isOver()) {
            end = End.BROKEN;
            work = Work.NONE;
        }
    }

    /** The connection is being closed. False if it was closed before. */
    boolean close() {
        if (isClosed()) {
            return false;
        }
        end = End.CLOSED;
        work = Work.NONE;
        return true;
    }

    // ---- State.

    Protocol protocol() {
        return protocol;
    }

    /** Whether there is a driver, which owns the parser and sends answers. */
    boolean isDriven() {
        return isDriven;
    }

    /** Whether no further request is parsed, and answers are still sent. */
    boolean isLast() {
        return end == End.LAST;
    }

    boolean awaitsRequest() {
        return end == End.OPEN && !isDriven && work == Work.NONE;
    }

    /** Whether a large body has no room, and has not asked for it. */
    boolean isBeforeRoom() {
        return work == Work.BEFORE_ROOM;
    }

    /** Whether a streamed answer is in flight. */
    boolean isStreaming() {
        return work == Work.STREAMING || work == Work.PULLING;
    }

    /** Whether nothing is sent any more. */
    boolean hasEnded() {
        return end == End.LINGERING || isClosed();
    }

    /** Whether every request is completely answered. */
    boolean isIdle(long unsentBytes, boolean inputWaits) {
        return hasEnded() || (awaitsRequest() && unsentBytes == 0 && !inputWaits);
    }

    boolean isOver() {
        return end == End.BROKEN || isClosed();
    }

    boolean isClosed() {
        return end == End.CLOSED;
    }

    private void require(boolean isExpected, String event) {
        if (!isExpected) {
            throw new IllegalStateException(
                    "%s while the connection is %s, %s, with %s in flight"
                            .formatted(event, end, isDriven ? "driven" : "not driven", work));
        }
    }
}
