package dev.quorate.node.http.parse;

import dev.quorate.node.http.budget.BodyReservation;
import dev.quorate.node.http.budget.BodyRoom;
import dev.quorate.router.runtime.ByteBudget;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parses a request's body, of known length or chunked (RFC 9112, 7.1), from pieces of any size.
 *
 * <p>A body whose declared length {@linkplain #isLarge is large} gets its array at once, after its
 * room was {@linkplain #granted granted}. Every other array grows as bytes arrive, whatever length
 * was declared, and each growth is reserved in the listener's budget before it is made: a declared
 * length alone costs nothing.
 */
public final class BodyParser {

    private enum State {
        FIXED,
        SIZE,
        SIZE_BLANKS,
        EXTENSION,
        SIZE_END,
        DATA,
        DATA_END,
        DATA_END_LF,
        TRAILER_START,
        TRAILER_NAME,
        TRAILER_VALUE,
        TRAILER_END,
        LAST_LF,
        COMPLETE
    }

    /** The budget is used up. */
    public static final HttpFailure NO_ROOM =
            new HttpFailure(503, "Too many bytes are on their way already. Try again later.");

    /** Small: thousands of clients may send a few bytes and then pause. */
    private static final int FIRST_BYTES = 256;

    private static final int MAX_SIZE_DIGITS = 16;

    /** Maximum number of bytes of extensions and trailers together, which are ignored. */
    private static final int MAX_ASIDE_BYTES = 4096;

    /** The limit of a chunk's size: larger than any body, and far from overflow. */
    private static final long FAR_TOO_MANY_BYTES = 1L << 40;

    private static final byte[] EMPTY = {};

    private final int maxBytes;
    private final BodyReservation reservation;

    private ByteBudget takenFrom;

    private State state = State.COMPLETE;
    private @Nullable HttpFailure failure;
    private byte[] body = EMPTY;
    private int count;
    private long remaining;
    private long mostBytes;
    private int sizeDigits;
    private int asideBytes;

    /** Whether bytes are only counted, not stored. */
    private boolean discards;

    /** Whether the whole body is reserved. */
    private boolean isGranted;

    /** The number of bytes reserved for the body that was taken last. */
    private long takenBytes;

    BodyParser(int maxBytes, BodyRoom room) {
        this.maxBytes = maxBytes;
        reservation = new BodyReservation(room);
        takenFrom = room.common();
    }

    /** Resets for the next body. A body that was not taken is dropped. */
    void reset() {
        drop();
        state = State.COMPLETE;
        failure = null;
        sizeDigits = 0;
        asideBytes = 0;
        remaining = 0;
        discards = false;
        isGranted = false;
    }

    /** Discards the body as it arrives, so that it costs no memory. */
    void discard() {
        discards = true;
    }

    void drop() {
        reservation.release();
        body = EMPTY;
        count = 0;
    }

    void startFixed(long length) {
        if (length > maxBytes) {
            tooLarge();
            return;
        }
        remaining = length;
        mostBytes = length;
        state = length == 0 ? State.COMPLETE : State.FIXED;
    }

    /** Whether the length is declared, and exceeds that of a small body. */
    boolean isLarge() {
        return state == State.FIXED && mostBytes > BodyRoom.SMALL_BYTES && !discards;
    }

    /** Whether it must be {@link #granted} room before it is fed. */
    boolean needsRoom() {
        return isLarge() && !isGranted;
    }

    long declaredBytes() {
        return mostBytes;
    }

    /** Takes over the room for the whole body. */
    void granted(long charge) {
        reservation.granted(charge);
        isGranted = true;
    }

    boolean isGranted() {
        return isGranted;
    }

    void startChunked() {
        mostBytes = maxBytes;
        state = State.SIZE;
    }

    @Nullable HttpFailure failure() {
        return failure;
    }

    boolean isComplete() {
        return state == State.COMPLETE;
    }

    /** How many bytes of the body have arrived. */
    int receivedBytes() {
        return count;
    }

    /**
     * The body, which the caller owns from now on. {@link #takenBytes} stay reserved until the
     * caller releases them.
     */
    byte[] take() {
        byte[] taken = body;
        if (discards) {
            count = 0;
        }
        if (count != taken.length) {
            taken = Arrays.copyOf(taken, count);
            reservation.shrinkTo(count);
        }
        takenBytes = reservation.bytes();
        takenFrom = reservation.transfer();
        body = EMPTY;
        count = 0;
        return taken;
    }

    ByteBudget takenFrom() {
        return takenFrom;
    }

    /** How many bytes are reserved in {@link #takenFrom}. */
    long takenBytes() {
        return takenBytes;
    }

    /** Consumes bytes until the body is complete or has failed; returns how many it consumed. */
    int feed(byte[] in, int from, int to) {
        int at = from;
        while (at < to && state != State.COMPLETE && failure == null) {
            at = step(in, at, to);
        }
        return at - from;
    }

    private int step(byte[] in, int at, int to) {
        return switch (state) {
            case FIXED -> data(in, at, to, State.COMPLETE);
            case SIZE -> size(in, at);
            case SIZE_BLANKS -> sizeBlanks(in, at);
            case EXTENSION -> extension(in, at);
            case SIZE_END -> sizeEnd(in, at);
            case DATA -> data(in, at, to, State.DATA_END);
            case DATA_END -> expect(in, at, '\r', State.DATA_END_LF);
            case DATA_END_LF -> {
                sizeDigits = 0;
                remaining = 0;
                yield expect(in, at, '\n', State.SIZE);
            }
            case TRAILER_START -> trailerStart(in, at);
            case TRAILER_NAME -> trailerName(in, at);
            case TRAILER_VALUE -> trailerValue(in, at);
            case TRAILER_END -> expect(in, at, '\n', State.TRAILER_START);
            case LAST_LF -> expect(in, at, '\n', State.COMPLETE);
            case COMPLETE -> throw new IllegalStateException();
        };
    }

    private int malformed(int at, String detail) {
        failure = HttpFailure.malformed(detail);
        return at;
    }

    private void tooLarge() {
        failure = new HttpFailure(413, "The body is longer than " + maxBytes + " bytes.");
    }

    private int expect(byte[] in, int at, char wanted, State next) {
        if (in[at] != wanted) {
            return malformed(at, "A chunk does not end where it should.");
        }
        state = next;
        return at + 1;
    }

    private int data(byte[] in, int at, int to, State next) {
        int piece = (int) Math.min(to - at, remaining);
        if (!discards) {
            if (!makeRoom(piece)) {
                return at;
            }
            System.arraycopy(in, at, body, count, piece);
        }
        count += piece;
        remaining -= piece;
        if (remaining == 0) {
            state = next;
        }
        return at + piece;
    }

    /**
     * Grows fourfold, so that each byte is copied about once; but never beyond the declared length.
     */
    private boolean makeRoom(int piece) {
        int needed = count + piece;
        if (needed <= body.length) {
            return true;
        }
        if (isGranted) {
            body = new byte[(int) mostBytes];
            return true;
        }
        long capacity = Math.max(needed, Math.max(FIRST_BYTES, 4L * body.length));
        capacity = Math.min(capacity, mostBytes);
        if (!reservation.growTo(capacity)) {
            failure = NO_ROOM;
            return false;
        }
        body = Arrays.copyOf(body, (int) capacity);
        return true;
    }

    private int size(byte[] in, int at) {
        int digit = HttpSyntax.hexValue(in[at]);
        if (digit >= 0) {
            if (++sizeDigits > MAX_SIZE_DIGITS) {
                return malformed(at, "A chunk's size is too long.");
            }
            remaining = (remaining << 4) | digit;
            remaining = Math.min(remaining, FAR_TOO_MANY_BYTES);
            return at + 1;
        }
        if (sizeDigits > 0 && HttpSyntax.isBlank(in[at])) {
            state = State.SIZE_BLANKS;
            return at;
        }
        if (sizeDigits == 0 || (in[at] != '\r' && in[at] != ';')) {
            return malformed(at, "A chunk does not begin with its size in hexadecimal digits.");
        }
        state = in[at] == '\r' ? State.SIZE_END : State.EXTENSION;
        return at + 1;
    }

    /** Blanks are allowed only before an extension (RFC 9112, 7.1.1). */
    private int sizeBlanks(byte[] in, int at) {
        if (in[at] == ';') {
            state = State.EXTENSION;
        } else if (!HttpSyntax.isBlank(in[at]) || ++asideBytes > MAX_ASIDE_BYTES) {
            return malformed(at, "A chunk's size is followed by blanks, or by too many.");
        }
        return at + 1;
    }

    private int extension(byte[] in, int at) {
        if (in[at] == '\r') {
            state = State.SIZE_END;
        } else if (!isIgnorable(in[at])) {
            return malformed(at, "A chunk's extension is malformed or too long.");
        }
        return at + 1;
    }

    private boolean isIgnorable(byte b) {
        return HttpSyntax.isFieldValue(b) && ++asideBytes <= MAX_ASIDE_BYTES;
    }

    private int sizeEnd(byte[] in, int at) {
        if (in[at] != '\n') {
            return malformed(at, "A chunk's size is not followed by a line end.");
        }
        if (remaining > maxBytes - count) {
            tooLarge();
            return at;
        }
        state = remaining == 0 ? State.TRAILER_START : State.DATA;
        return at + 1;
    }

    private int trailerStart(byte[] in, int at) {
        if (in[at] == '\r') {
            state = State.LAST_LF;
            return at + 1;
        }
        if (!HttpSyntax.isToken(in[at])) {
            return malformed(at, "A trailer is malformed.");
        }
        state = State.TRAILER_NAME;
        return at;
    }

    private int trailerName(byte[] in, int at) {
        if (in[at] == ':') {
            state = State.TRAILER_VALUE;
            return at + 1;
        }
        if (!HttpSyntax.isToken(in[at]) || ++asideBytes > MAX_ASIDE_BYTES) {
            return malformed(at, "A trailer is malformed or too long.");
        }
        return at + 1;
    }

    private int trailerValue(byte[] in, int at) {
        if (in[at] == '\r') {
            state = State.TRAILER_END;
        } else if (!isIgnorable(in[at])) {
            return malformed(at, "A trailer is malformed or too long.");
        }
        return at + 1;
    }
}
