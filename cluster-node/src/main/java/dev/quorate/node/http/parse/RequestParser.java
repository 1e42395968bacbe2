package dev.quorate.node.http.parse;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.BodyRoom;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ByteBudget;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Parses requests: a state machine without I/O or clock, fed with pieces of any size.
 *
 * <p>After {@link #upgrade} each message is a request, a POST to the path of the upgrade.
 *
 * <p>After {@link Event#REQUEST} and {@link #next}, the bytes from {@link #position} on belong to
 * the next request. After {@link Event#FAILED} nothing more can be parsed.
 */
public final class RequestParser {

    public enum Event {
        /** All input was consumed, and the request is incomplete. */
        MORE,
        /** The head is complete, and the client waits for 100 (Continue). */
        CONTINUE,
        /**
         * The head is complete, and the large body needs room: call {@link #granted} before feeding
         * more. The bytes from {@link #position} on belong to the body.
         */
        ROOM,
        /** A request is complete. Its head's bytes may lie in the caller's array. */
        REQUEST,
        /** The request is refused: see {@link #failure}. */
        FAILED
    }

    /** The assumed size of a chunked body. */
    private static final long UNKNOWN_LENGTH_BYTES = 65_536;

    private final HttpLimits limits;
    private final BodyRoom room;
    private final HeadParser headParser;
    private final BodyParser bodyParser;

    /** Replaces the other parsers after the upgrade; null before. */
    private @Nullable MessageParser messages;

    private final Function<RequestHead, @Nullable HttpResponse> refusing;

    /** Whether large bodies wait for {@link Event#ROOM}; otherwise they grow as they arrive. */
    private final boolean asksForRoom;

    private RequestHead head;
    private boolean inBody;

    /** Whether the client waits for 100 (Continue), which was not reported yet. */
    private boolean isContinueDue;

    /** The answer to a request whose body is discarded; null to handle the request. */
    private @Nullable HttpResponse refusal;

    private int position;
    private @Nullable HttpFailure failure;

    /**
     * @param heads the budget of unfinished heads
     * @param refusing called for each request with a body, when its head is complete; returns a
     *     refusal, or null to read the body
     * @param asksForRoom whether the caller answers {@link Event#ROOM}
     */
    public RequestParser(
            HttpLimits limits,
            BodyRoom room,
            ByteBudget heads,
            Function<RequestHead, @Nullable HttpResponse> refusing,
            boolean asksForRoom) {
        this.refusing = refusing;
        this.asksForRoom = asksForRoom;
        this.limits = limits;
        this.room = room;
        headParser = new HeadParser(limits, heads);
        head = headParser.head();
        bodyParser = new BodyParser(limits.maxBodyBytes(), room);
    }

    /** Consumes bytes, at most up to the end of a request. */
    public Event feed(byte[] in, int from, int to) {
        position = from;
        if (messages != null) {
            return feed(messages, in, from, to);
        }
        if (!inBody) {
            position += headParser.feed(in, from, to);
            if (headParser.failure() != null) {
                return fail(headParser.failure());
            }
            if (!headParser.isComplete()) {
                return Event.MORE;
            }
            startBody();
            if (bodyParser.failure() != null) {
                return fail(bodyParser.failure());
            }
            isContinueDue = head().expectContinue && !bodyParser.isComplete() && position == to;
        }
        if (asksForRoom && bodyParser.needsRoom()) {
            return headParser.pin() ? Event.ROOM : fail(headParser.failure());
        }
        if (isContinueDue) {
            isContinueDue = false;
            return askForBody();
        }
        position += bodyParser.feed(in, position, to);
        if (bodyParser.failure() != null) {
            return fail(bodyParser.failure());
        }
        if (!bodyParser.isComplete()) {
            return headParser.pin() ? Event.MORE : fail(headParser.failure());
        }
        return Event.REQUEST;
    }

    private Event feed(MessageParser parser, byte[] in, int from, int to) {
        position += parser.feed(in, from, to);
        if (parser.failure() != null) {
            return fail(parser.failure());
        }
        return parser.isComplete() ? Event.REQUEST : Event.MORE;
    }

    /** Whether the input consists of messages. */
    public boolean isUpgraded() {
        return messages != null;
    }

    /** Called after a request and {@link #next}: messages follow. */
    public void upgrade() {
        head = RequestHead.ofMessages(head.path());
        messages = new MessageParser(limits.maxBodyBytes(), room);
    }

    private Event fail(@Nullable HttpFailure why) {
        failure = why;
        drop();
        return Event.FAILED;
    }

    private void startBody() {
        inBody = true;
        RequestHead head = head();
        if (head.chunked) {
            bodyParser.startChunked();
        } else {
            bodyParser.startFixed(Math.max(head.contentLength, 0));
        }
        if (!bodyParser.isComplete() && bodyParser.failure() == null) {
            refusal = refusing.apply(head);
            if (refusal != null) {
                bodyParser.discard();
            }
        }
    }

    private Event askForBody() {
        if (refusal != null) {
            // The client may send the body anyway: so this connection ends.
            bodyParser.reset();
            head.close = true;
            return Event.REQUEST;
        }
        long length = head().chunked ? UNKNOWN_LENGTH_BYTES : head().contentLength;
        if (!bodyParser.isGranted() && !room.hasRoomFor(length)) {
            room.common().noteRefusal();
            return fail(BodyParser.NO_ROOM);
        }
        return headParser.pin() ? Event.CONTINUE : fail(headParser.failure());
    }

    /** The declared length of the body that needs room. */
    public long declaredBytes() {
        return bodyParser.declaredBytes();
    }

    /** Whether the client waits for 100 (Continue), and has sent nothing of the body. */
    public boolean isContinueDue() {
        return isContinueDue;
    }

    /** Takes over the room for the whole body. */
    public void granted(long charge) {
        bodyParser.granted(charge);
    }

    /** Whether the body being read has room that others may wait for. */
    public boolean isGranted() {
        return messages == null && bodyParser.isGranted();
    }

    /** The position in the last array where the parser stopped. */
    public int position() {
        return position;
    }

    public RequestHead head() {
        return head;
    }

    /** The complete request's body; {@link #takenBytes} stay reserved in the budget. */
    public byte[] takeBody() {
        return messages != null ? messages.take() : bodyParser.take();
    }

    /** The refusal of the complete request, whose body was discarded; null to handle it. */
    public @Nullable HttpResponse refusal() {
        return refusal;
    }

    /** The budget in which the taken body is reserved. */
    public ByteBudget takenFrom() {
        return messages != null ? messages.takenFrom() : bodyParser.takenFrom();
    }

    /** How many bytes are reserved in {@link #takenFrom}. */
    public long takenBytes() {
        return messages != null ? messages.takenBytes() : bodyParser.takenBytes();
    }

    /** Why the last feed failed; null if it did not. */
    public @Nullable HttpFailure failure() {
        return failure;
    }

    public void next() {
        if (messages != null) {
            messages.next();
            return;
        }
        inBody = false;
        isContinueDue = false;
        refusal = null;
        headParser.reset();
        bodyParser.reset();
    }

    /** Releases the memory of a closed connection. */
    public void drop() {
        if (messages != null) {
            messages.drop();
        }
        bodyParser.drop();
        headParser.drop();
    }

    /** Whether no byte of a request has arrived yet. */
    public boolean isAtRest() {
        return messages != null ? messages.isAtRest() : !inBody && headParser.isAtRest();
    }

    public boolean isInBody() {
        return messages != null ? messages.isInBody() : inBody;
    }

    /** How many bytes of the current body have arrived. */
    public int receivedBodyBytes() {
        return messages != null ? messages.receivedBytes() : bodyParser.receivedBytes();
    }
}
