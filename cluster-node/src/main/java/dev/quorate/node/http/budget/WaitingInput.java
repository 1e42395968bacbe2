package dev.quorate.node.http.budget;

import dev.quorate.router.runtime.ByteBudget;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Input that is not parsed yet: requests that a client pipelined after the request in flight, until
 * that is answered; or the beginning of a body that has no room. The first counts in the listener's
 * budget of bodies, the second in that of heads.
 *
 * <p>Guarded by the connection's lock, except the bytes themselves, which the caller of {@link
 * #removeBytes} reads until {@link #retain} or {@link #onParsed}.
 */
public final class WaitingInput {

    private final BodyReservation reservation;
    private final BodyReservation beforeRoom;
    private byte @Nullable [] bytes;
    private int from;
    private boolean isTaken;

    public WaitingInput(BodyRoom room, ByteBudget before) {
        reservation = new BodyReservation(room);
        beforeRoom = new BodyReservation(BodyRoom.of(before));
    }

    public boolean isPresent() {
        return bytes != null && !isTaken;
    }

    /** Takes the bytes; they begin at {@link #from}. */
    public byte[] removeBytes() {
        byte[] taken = bytes;
        if (taken == null || isTaken) {
            throw new IllegalStateException("nothing waits");
        }
        isTaken = true;
        return taken;
    }

    public int from() {
        return from;
    }

    /**
     * Retains input that was not parsed: the rest of the taken bytes, or a copy of other input.
     * False if there is no room; then nothing is retained.
     */
    public boolean retain(byte[] input, int start, int end) {
        return retain(input, start, end, reservation);
    }

    /** The same for the beginning of a body, which may be empty. */
    public boolean retainBodyStart(byte[] input, int start, int end) {
        return retain(input, start, end, beforeRoom);
    }

    private boolean retain(byte[] input, int start, int end, BodyReservation reserved) {
        if (isTaken) {
            from = start;
            isTaken = false;
            return true;
        }
        if (!reserved.growTo(end - start)) {
            return false;
        }
        bytes = Arrays.copyOfRange(input, start, end);
        from = 0;
        return true;
    }

    /** Notes that all taken bytes are parsed. */
    public void onParsed() {
        if (isTaken) {
            isTaken = false;
            drop();
        }
    }

    /** Drops waiting input; taken bytes remain until {@link #onParsed}. */
    public void drop() {
        if (bytes != null && !isTaken) {
            reservation.release();
            beforeRoom.release();
            bytes = null;
        }
    }
}
