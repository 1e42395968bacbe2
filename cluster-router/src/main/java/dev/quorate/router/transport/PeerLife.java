package dev.quorate.router.transport;

/**
 * The current life of a peer, as known from its answers. Frames contain it, and a peer that has
 * restarted refuses them and returns its current one. Every answer is bound to its request, so that
 * an old one cannot be replayed. Thread-safe.
 */
final class PeerLife {

    private volatile long known;

    /** 0 if the peer has not answered yet. */
    long known() {
        return known;
    }

    /** Takes the life in an authentic answer. Returns whether it is new. */
    boolean learn(long life) {
        boolean isNew = life != known;
        known = life;
        return isNew;
    }
}
