package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.connection.ResponseEncoder.Framing;
import dev.quorate.node.http.connection.ResponseEncoder.Persistence;
import dev.quorate.node.http.parse.HttpFailure;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.HeldRoom;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import one.nio.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a connection has to send. Small pieces are joined; large ones are sent as they
 * are, and count in the listener's budget.
 *
 * <p>Guarded by the connection's lock.
 */
final class Output {

    /** Pieces longer than this are reserved in the budget until they are sent. */
    static final int LARGE_BYTES = 64 * 1024;

    private static final byte WHOLE_BINARY = (byte) 0x82;
    private static final byte WHOLE_CLOSE = (byte) 0x88;
    private static final int MAX_SHORT_BYTES = 125;
    private static final int MOST_16_BIT_BYTES = 0xFFFF;

    /** Maximum number of bytes for one call of the socket, which would copy more in vain. */
    private static final int WRITE_BYTES = 64_000;

    private static final byte[] CONTINUE =
            "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] NOTHING = {};

    private final ByteBudget budget;
    private final ListenerContext.WaitingRoom waiting;
    private final ListenerStatistics statistics;
    private final AtomicLong heldBytes;
    private final Wire wire;
    private final ArrayDeque<byte[]> pieces = new ArrayDeque<>(4);

    /** The room of a large piece, reserved before it arrived; there is one answer at a time. */
    private HeldRoom held = HeldRoom.NONE;

    private byte @Nullable [] heldPiece;
    private int firstOffset;
    private long unsentBytes;

    /** The unsent bytes that were not reserved when they were added. */
    private long smallBytes;

    /** Bytes reserved for {@link #smallBytes}, which the socket did not accept at once. */
    private long heldOwn;

    private long heldCommon;

    Output(ListenerContext context, Wire wire) {
        this.wire = wire;
        budget = context.outputBudget;
        waiting = context.waitingAnswers;
        statistics = context.statistics;
        heldBytes = context.heldAnswerBytes;
    }

    void addContinue() {
        add(CONTINUE);
    }

    /**
     * Adds a whole answer, or a 503 if it is large and there is no room.
     *
     * @param room the reservation of its body; this object releases it
     */
    void addAnswer(HttpResponse wanted, HeldRoom room, Persistence persistence, boolean isHead) {
        HttpResponse response = wanted;
        if (response.body().length <= LARGE_BYTES || isHead || heldPiece != null) {
            room.release();
        }
        if (room.bytes() > 0) {
            held = room;
            heldPiece = response.body();
            heldBytes.addAndGet(room.bytes());
        } else if (!isHead && !reserveLargeParts(response)) {
            statistics.reject(Rejection.BYTES);
            response =
                    Problem.busy("Too many answers wait for their readers. Try again later.")
                            .response();
        }
        add(ResponseEncoder.encode(response, Framing.LENGTH, persistence, !isHead));
        if (!isHead && !ResponseEncoder.joins(response)) {
            addParts(response);
        }
    }

    private boolean reserveLargeParts(HttpResponse response) {
        long bytes = largeBytes(response.body());
        for (byte[] part : response.rest()) {
            bytes += largeBytes(part);
        }
        return bytes == 0 || budget.tryReserve(bytes);
    }

    private static int largeBytes(byte[] part) {
        return part.length > LARGE_BYTES ? part.length : 0;
    }

    private void addParts(HttpResponse response) {
        add(response.body());
        for (byte[] part : response.rest()) {
            add(part);
        }
    }

    /** Adds the answer 101: messages follow. */
    void addUpgrade(List<String> headers) {
        String lines = String.join("\r\n", headers);
        String head = "HTTP/1.1 101 Switching Protocols\r\n" + lines + "\r\n\r\n";
        add(head.getBytes(StandardCharsets.US_ASCII));
    }

    /** Adds an answer as a message, or an empty 503 if there is no room. */
    void addMessage(HttpResponse response, Persistence persistence) {
        boolean isLast = persistence == Persistence.CLOSES;
        if (!reserveLargeParts(response)) {
            statistics.reject(Rejection.BYTES);
            add(message(503, isLast, 0, NOTHING));
        } else if (ResponseEncoder.joins(response)) {
            byte[] body = response.body();
            add(message(response.status(), isLast, body.length, body));
        } else {
            add(message(response.status(), isLast, response.bodyBytes(), NOTHING));
            addParts(response);
        }
    }

    /** Adds the close frame after an invalid message. */
    void addClose(HttpFailure failure) {
        add(closeFrame(failure));
    }

    void addRefusal(HttpFailure failure, boolean isHead) {
        Problem problem = Problem.of(failure.status(), failure.detail());
        if (failure.status() == 503) {
            problem.header("Retry-After: 1");
        }
        add(
                ResponseEncoder.encode(
                        problem.response(), Framing.LENGTH, Persistence.CLOSES, !isHead));
    }

    void addStreamHead(HttpResponse head, Framing framing, Persistence persistence) {
        add(ResponseEncoder.encode(head, framing, persistence, false));
    }

    /** Adds pieces of a streamed answer; false if there was no room for all of them. */
    boolean addPieces(List<byte[]> more) {
        for (byte[] piece : more) {
            if (piece.length > LARGE_BYTES && !budget.tryReserve(piece.length)) {
                statistics.reject(Rejection.BYTES);
                return false;
            }
            addReserved(piece); // A small piece is reserved by its place.
        }
        return true;
    }

    private void add(byte[] piece) {
        addReserved(piece);
        smallBytes += piece.length > LARGE_BYTES ? 0 : piece.length;
    }

    private void addReserved(byte[] piece) {
        pieces.addLast(piece);
        unsentBytes += piece.length;
    }

    boolean isEmpty() {
        return unsentBytes() == 0;
    }

    long unsentBytes() {
        return unsentBytes + wire.unsentBytes();
    }

    /** Sends as many bytes as the socket accepts; returns their number. */
    long write() throws IOException {
        long before = unsentBytes();
        wire.flush();
        while (unsentBytes > 0) {
            byte[] first = pieces.size() > 1 ? joined() : pieces.getFirst();
            int count = Math.min(first.length - firstOffset, WRITE_BYTES);
            int flags = count < unsentBytes ? Socket.MSG_MORE : 0;
            int written = wire.write(first, firstOffset, count, flags);
            if (written <= 0) {
                break;
            }
            unsentBytes -= written;
            firstOffset += written;
            if (firstOffset == first.length) {
                pieces.removeFirst();
                releaseIfLarge(first);
                firstOffset = 0;
            }
            if (written < count) {
                break;
            }
        }
        return Math.max(before - unsentBytes(), 0);
    }

    /**
     * Called after a write: reserves the bytes that the socket did not accept, or releases those
     * that it has accepted since. False if there is no room: then the connection must be closed.
     */
    boolean holdsWhatWaits() {
        smallBytes = Math.min(smallBytes, unsentBytes);
        long held = heldOwn + heldCommon;
        if (smallBytes == held) {
            return true;
        }
        if (smallBytes < held) {
            releaseHeld(held - smallBytes);
            return true;
        }
        long more = smallBytes - held;
        if (waiting.own().tryReserve(more)) {
            heldOwn += more;
        } else if (waiting.common().tryReserve(more)) {
            heldCommon += more;
        } else {
            return false;
        }
        return true;
    }

    private void releaseHeld(long bytes) {
        long fromCommon = Math.min(bytes, heldCommon);
        waiting.common().release(fromCommon);
        waiting.own().release(bytes - fromCommon);
        heldCommon -= fromCommon;
        heldOwn -= bytes - fromCommon;
    }

    /** The first piece, joined with the following pieces as long as all are small. */
    private byte[] joined() {
        byte[] first = pieces.getFirst();
        if (firstOffset > 0) {
            return first;
        }
        int size = 0;
        int count = 0;
        for (byte[] piece : pieces) {
            if (size + piece.length > WRITE_BYTES) {
                break;
            }
            size += piece.length;
            count++;
        }
        if (count < 2) {
            return first;
        }
        byte[] join = new byte[size];
        int at = 0;
        for (int i = 0; i < count; i++) {
            byte[] piece = pieces.removeFirst();
            System.arraycopy(piece, 0, join, at, piece.length);
            at += piece.length;
        }
        pieces.addFirst(join);
        return join;
    }

    /** Drops everything. */
    void clear() {
        for (byte[] piece : pieces) {
            releaseIfLarge(piece);
        }
        pieces.clear();
        firstOffset = 0;
        unsentBytes = 0;
        smallBytes = 0;
        releaseHeld(heldOwn + heldCommon);
        wire.release();
    }

    @SuppressWarnings("ReferenceEquality") // that array, not its bytes
    private void releaseIfLarge(byte[] piece) {
        if (piece == heldPiece) {
            heldPiece = null;
            heldBytes.addAndGet(-held.bytes());
            held.release();
            held = HeldRoom.NONE;
        } else if (piece.length > LARGE_BYTES) {
            budget.release(piece.length);
        }
    }

    /**
     * Encodes an answer on an upgraded connection as an unmasked binary message (RFC 6455, section
     * 5.2). The payload is the status, a u16, perhaps with {@link PeerCodec#LAST_ANSWER}, and the
     * body.
     *
     * @param body the body to include; a body that is not included must be sent next
     */
    private static byte[] message(int status, boolean isLast, int bodyBytes, byte[] body) {
        int payload = Short.BYTES + bodyBytes;
        int headBytes = headBytes(payload);
        ByteBuffer to = ByteBuffer.allocate(headBytes + Short.BYTES + body.length);
        to.put(WHOLE_BINARY);
        if (payload <= MAX_SHORT_BYTES) {
            to.put((byte) payload);
        } else if (payload <= MOST_16_BIT_BYTES) {
            to.put((byte) 126).putShort((short) payload);
        } else {
            to.put((byte) 127).putLong(payload);
        }
        to.putShort((short) (isLast ? status | PeerCodec.LAST_ANSWER : status));
        return to.put(body).array();
    }

    private static int headBytes(int payload) {
        return payload <= MAX_SHORT_BYTES ? 2 : payload <= MOST_16_BIT_BYTES ? 4 : 10;
    }

    /** Encodes the close frame after an invalid message. */
    private static byte[] closeFrame(HttpFailure failure) {
        int code =
                switch (failure.status()) {
                    case 413 -> 1009; // too big
                    case 503 -> 1013; // try again later
                    case 408 -> 1008; // against the rules
                    default -> 1002; // against the protocol
                };
        return new byte[] {WHOLE_CLOSE, Short.BYTES, (byte) (code >>> Byte.SIZE), (byte) code};
    }
}
