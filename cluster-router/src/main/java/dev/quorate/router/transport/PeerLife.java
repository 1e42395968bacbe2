package dev.quorate.router.transport;

/**
 * The current life of a peer, as known from its answers. Frames contain the life; a restarted peer
 * refuses them and returns its current life. Every answer is bound to its request, so that an old
 * answer cannot be replayed. Thread-safe.
 */
final class PeerLife {

    private volatile long known;

    /** The last known life; 0 before the first answer. */
    long known() {
        return known;
    }

    /** Stores the life from an authentic answer. Returns whether it is new. */
    boolean learn(long life) {
        boolean isNew = life != known;
        known = life;
        return isNew;
    }
}
