package dev.quorate.node.http;

import dev.quorate.node.runtime.ByteBudget;

/**
 * Room for the bodies of a listener's requests. Small bodies have a share of their own, and use the
 * common budget when that is full; so no large body, however slow, keeps them out.
 */
final class BodyRoom {

    /** What a body of the share for small ones has at most. */
    static final int SMALL_BYTES = 64 * 1024;

    final ByteBudget small;
    final ByteBudget common;

    BodyRoom(ByteBudget small, ByteBudget common) {
        this.small = small;
        this.common = common;
    }

    /** Without a share for small bodies. */
    static BodyRoom of(ByteBudget common) {
        return new BodyRoom(new ByteBudget(0), common);
    }

    /** Whether a body of so many bytes would find room now: a look, not a promise. */
    boolean hasRoomFor(long bytes) {
        return (bytes <= SMALL_BYTES && small.hasRoomFor(bytes)) || common.hasRoomFor(bytes);
    }

    long usedBytes() {
        return small.usedBytes() + common.usedBytes();
    }
}
