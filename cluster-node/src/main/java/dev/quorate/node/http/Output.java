package dev.quorate.node.http;

import java.io.IOException;
import java.util.ArrayDeque;
import one.nio.net.Socket;

/**
 * What a connection has still to send. Small pieces that gathered are sent together; large ones go
 * as they are, and are those that count in the listener's budget.
 *
 * <p>Guarded by the connection's lock.
 */
final class Output {

    /** Pieces longer than this have been reserved in the budget by whoever adds them. */
    static final int LARGE_BYTES = 64 * 1024;

    /** What one call of the socket takes at most; longer ones it would copy in vain. */
    private static final int WRITE_BYTES = 64_000;

    private final ByteBudget budget;
    private final ArrayDeque<byte[]> pieces = new ArrayDeque<>(4);
    private int firstOffset;
    private long unsentBytes;

    Output(ByteBudget outputBudget) {
        budget = outputBudget;
    }

    void add(byte[] piece) {
        if (piece.length > 0) {
            pieces.addLast(piece);
            unsentBytes += piece.length;
        }
    }

    boolean isEmpty() {
        return unsentBytes == 0;
    }

    long unsentBytes() {
        return unsentBytes;
    }

    /** Sends what the socket takes; returns how many bytes that was. */
    long writeTo(Socket socket) throws IOException {
        long before = unsentBytes;
        while (unsentBytes > 0) {
            byte[] first = pieces.size() > 1 ? joined() : pieces.getFirst();
            int count = Math.min(first.length - firstOffset, WRITE_BYTES);
            int flags = count < unsentBytes ? Socket.MSG_MORE : 0;
            int written = socket.write(first, firstOffset, count, flags);
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
        return before - unsentBytes;
    }

    /** The first piece, joined with those behind it as long as all are small. */
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
    }

    private void releaseIfLarge(byte[] piece) {
        if (piece.length > LARGE_BYTES) {
            budget.release(piece.length);
        }
    }
}
