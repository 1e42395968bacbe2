package dev.quorate.node.http.parse;

import dev.quorate.node.http.budget.BodyRoom;
import dev.quorate.router.runtime.ByteBudget;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Parses the messages of an upgraded connection: a state machine without I/O or clock, fed with
 * pieces of any size, like {@link RequestParser}.
 *
 * <p>It accepts only frames (RFC 6455, section 5.2) that are whole, masked, binary messages. Any
 * other frame ends the connection: fragments, text, pings, a close.
 *
 * <pre>
 *   0  u8   0x82: the last frame of a message, binary
 *   1  u8   0x80 and the payload's length, or 126 or 127
 *   2  u16  the length after 126; or u64 after 127
 *      u32  the mask: payload byte i is XORed with its byte i mod 4
 *      payload
 * </pre>
 */
final class MessageParser {

    private static final byte WHOLE_BINARY = (byte) 0x82;
    private static final int MASKED = 0x80;
    private static final int LENGTH_16 = 126;
    private static final int LENGTH_64 = 127;
    private static final int SHAPE_BYTES = 2;
    private static final int MASK_BYTES = 4;
    private static final int MAX_HEAD_BYTES = SHAPE_BYTES + Long.BYTES + MASK_BYTES;

    private final BodyParser body;
    private final ByteBuffer head = ByteBuffer.allocate(MAX_HEAD_BYTES);
    private boolean inBody;
    private @Nullable HttpFailure failure;

    /**
     * @param maxMessageBytes longer messages are a 413
     */
    MessageParser(int maxMessageBytes, BodyRoom room) {
        body = new BodyParser(maxMessageBytes, room);
        head.limit(SHAPE_BYTES);
    }

    /** Consumes bytes, at most up to the end of a message; returns how many. */
    int feed(byte[] in, int from, int to) {
        int at = from;
        while (!inBody && failure == null && at < to) {
            head.put(in[at++]);
            if (!head.hasRemaining()) {
                headPartRead();
            }
        }
        if (inBody && failure == null) {
            at += body.feed(in, at, to);
            failure = body.failure();
        }
        return at - from;
    }

    private void headPartRead() {
        if (head.position() == SHAPE_BYTES) {
            readShape(head.get(0), head.get(1) & 0xFF);
            return;
        }
        inBody = true;
        body.startFixed(payloadBytes());
        failure = body.failure();
    }

    private void readShape(byte kind, int length) {
        if (kind != WHOLE_BINARY || (length & MASKED) == 0) {
            failure = HttpFailure.malformed("Only whole, masked, binary messages are taken here.");
            return;
        }
        head.limit(SHAPE_BYTES + lengthBytes(length & ~MASKED) + MASK_BYTES);
    }

    private static int lengthBytes(int length) {
        return switch (length) {
            case LENGTH_16 -> Short.BYTES;
            case LENGTH_64 -> Long.BYTES;
            default -> 0;
        };
    }

    private long payloadBytes() {
        int length = head.get(1) & ~MASKED & 0xFF;
        return switch (length) {
            case LENGTH_16 -> head.getShort(SHAPE_BYTES) & 0xFFFF;
            case LENGTH_64 -> {
                long bytes = head.getLong(SHAPE_BYTES);
                yield bytes < 0 ? Long.MAX_VALUE : bytes;
            }
            default -> length;
        };
    }

    boolean isComplete() {
        return inBody && failure == null && body.isComplete();
    }

    /** Why the input is invalid; null if it is not. After a failure nothing is parsed. */
    @Nullable HttpFailure failure() {
        return failure;
    }

    boolean isInBody() {
        return inBody;
    }

    /** Whether no byte of a message has arrived yet. */
    boolean isAtRest() {
        return !inBody && head.position() == 0;
    }

    /** How many bytes of the message's payload have arrived. */
    int receivedBytes() {
        return body.receivedBytes();
    }

    /** The complete message; its length stays reserved in the budget. */
    byte[] take() {
        byte[] message = body.take();
        unmask(message, head.getInt(head.position() - MASK_BYTES));
        return message;
    }

    ByteBudget takenFrom() {
        return body.takenFrom();
    }

    /** How many bytes are reserved in {@link #takenFrom}. */
    long takenBytes() {
        return body.takenBytes();
    }

    private static void unmask(byte[] message, int mask) {
        ByteBuffer words = ByteBuffer.wrap(message);
        long twice = ((long) mask << Integer.SIZE) | (mask & 0xFFFF_FFFFL);
        int at = 0;
        for (; at <= message.length - Long.BYTES; at += Long.BYTES) {
            words.putLong(at, words.getLong(at) ^ twice);
        }
        for (; at < message.length; at++) {
            int shift = Byte.SIZE * (MASK_BYTES - 1 - at % MASK_BYTES);
            message[at] ^= (byte) (mask >>> shift);
        }
    }

    void next() {
        head.clear().limit(SHAPE_BYTES);
        inBody = false;
        body.reset();
    }

    /** Releases the memory of a closed connection. */
    void drop() {
        body.drop();
    }
}
