package dev.quorate.node.http;

import dev.quorate.node.runtime.ByteBudget;

/**
 * The bytes that one body, or what waits behind one, holds of a {@link BodyRoom}: all of them in
 * one budget, so that whoever gets the body knows where to give them back.
 */
final class BodyReservation {

    private final BodyRoom room;
    private ByteBudget from;
    private long bytes;

    BodyReservation(BodyRoom room) {
        this.room = room;
        from = room.small;
    }

    /** Holds so many bytes, which are more than it does; or changes nothing and returns false. */
    boolean growTo(long newBytes) {
        if (from == room.common) {
            if (!room.common.tryReserve(newBytes - bytes)) {
                return false;
            }
        } else if (newBytes > BodyRoom.SMALL_BYTES || !room.small.tryReserve(newBytes - bytes)) {
            if (!room.common.tryReserve(newBytes)) {
                return false;
            }
            room.small.release(bytes);
            from = room.common;
        }
        bytes = newBytes;
        return true;
    }

    void shrinkTo(long newBytes) {
        from.release(bytes - newBytes);
        bytes = newBytes;
    }

    /** Gives everything back. */
    void release() {
        if (bytes != 0) {
            from.release(bytes);
        }
        handOver();
    }

    /** What it holds is somebody else's from now on, to be given back to the returned budget. */
    ByteBudget handOver() {
        ByteBudget budget = from;
        bytes = 0;
        from = room.small;
        return budget;
    }
}
