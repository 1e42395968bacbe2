package dev.quorate.node.http.budget;

import dev.quorate.router.runtime.ByteBudget;

/**
 * The bytes that one body, or pipelined input, has reserved in a {@link BodyRoom}: all in one
 * budget, so that the owner of the body knows where to release them.
 */
public final class BodyReservation {

    private final BodyRoom room;
    private ByteBudget from;
    private long bytes;

    public BodyReservation(BodyRoom room) {
        this.room = room;
        from = room.small();
    }

    /**
     * Grows the reservation to {@code newBytes}; false, without any change, if there is no room.
     */
    public boolean growTo(long newBytes) {
        if (from == room.common()) {
            if (!room.common().tryReserve(newBytes - bytes)) {
                return false;
            }
        } else if (newBytes > BodyRoom.SMALL_BYTES || !room.small().tryReserve(newBytes - bytes)) {
            if (!room.common().tryReserve(newBytes)) {
                return false;
            }
            room.small().release(bytes);
            from = room.common();
        }
        bytes = newBytes;
        return true;
    }

    /** Takes over a reservation of the whole body in the common budget. */
    public void granted(long newBytes) {
        room.small().release(from == room.small() ? bytes : 0);
        from = room.common();
        bytes = newBytes;
    }

    public long bytes() {
        return bytes;
    }

    public void shrinkTo(long newBytes) {
        from.release(bytes - newBytes);
        bytes = newBytes;
    }

    public void release() {
        if (bytes != 0) {
            from.release(bytes);
        }
        transfer();
    }

    /** Hands the reservation over: the caller must release it to the returned budget. */
    public ByteBudget transfer() {
        ByteBudget budget = from;
        bytes = 0;
        from = room.small();
        return budget;
    }
}
