package dev.quorate.node.http.budget;

import dev.quorate.router.runtime.ByteBudget;

/**
 * The memory for the bodies of a listener's requests. Small bodies have a budget of their own, and
 * use the common one when that is full; so no large body, however slow, excludes them.
 */
public record BodyRoom(ByteBudget small, ByteBudget common) {

    /** Maximum number of bytes of a small body. */
    public static final int SMALL_BYTES = 64 * 1024;

    /** Creates a room without a budget for small bodies. */
    public static BodyRoom of(ByteBudget common) {
        return new BodyRoom(new ByteBudget(0), common);
    }

    /** Whether a body of this many bytes would fit now. Reserves nothing. */
    public boolean hasRoomFor(long bytes) {
        return (bytes <= SMALL_BYTES && small.hasRoomFor(bytes)) || common.hasRoomFor(bytes);
    }

    public long usedBytes() {
        return small.usedBytes() + common.usedBytes();
    }
}
