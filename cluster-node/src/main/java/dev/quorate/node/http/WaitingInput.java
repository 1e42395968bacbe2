package dev.quorate.node.http;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a client pipelined behind a request that is in flight: the rest of what came with that, kept
 * until the request is answered. Counts in the listener's budget.
 *
 * <p>Guarded by the connection's lock, but for the bytes themselves, which whoever {@link #take}s
 * them reads until {@link #keep} or {@link #done}.
 */
final class WaitingInput {

    private final BodyReservation reservation;
    private byte @Nullable [] bytes;
    private int from;
    private boolean isTaken;

    WaitingInput(BodyRoom room) {
        reservation = new BodyReservation(room);
    }

    /** Whether something waits that nobody has taken. */
    boolean isThere() {
        return bytes != null && !isTaken;
    }

    /** Hands the bytes out; they begin at {@link #from}. */
    byte[] take() {
        byte[] taken = bytes;
        if (taken == null || isTaken) {
            throw new IllegalStateException("nothing waits");
        }
        isTaken = true;
        return taken;
    }

    int from() {
        return from;
    }

    /**
     * Keeps what was not parsed: of what was taken, or of other input, which is copied. Returns
     * false if there is no room for it; then nothing is kept.
     */
    boolean keep(byte[] input, int start, int end) {
        if (isTaken) {
            from = start;
            isTaken = false;
            return true;
        }
        if (!reservation.growTo(end - start)) {
            return false;
        }
        bytes = Arrays.copyOfRange(input, start, end);
        from = 0;
        return true;
    }

    /** What was taken is parsed, all of it. */
    void done() {
        if (isTaken) {
            isTaken = false;
            drop();
        }
    }

    /** Drops what waits; what is taken stays until it is {@link #done}. */
    void drop() {
        if (bytes != null && !isTaken) {
            reservation.release();
            bytes = null;
        }
    }
}
