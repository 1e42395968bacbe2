package dev.quorate.node.transport;

/**
 * In which of its lives a peer is, as far as its answers have said. Frames carry it, and a peer
 * that has started since refuses them and says its present one. Every answer is bound to its
 * request, so that nobody can say an old one again. Safe for use by many threads.
 */
final class PeerLife {

    private volatile long known;

    /** 0 if the peer has not answered yet. */
    long known() {
        return known;
    }

    /** As an authentic answer says. Returns whether that is news. */
    boolean learn(long life) {
        boolean isNew = life != known;
        known = life;
        return isNew;
    }
}
