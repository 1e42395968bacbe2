package dev.quorate.router.transport;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The link to a peer that moves. The members agree on the new address before the peer serves there,
 * so this link uses the old address until an exchange fails.
 */
final class MovedLink implements PeerLink {

    private final PeerLink before;
    private final PeerLink next;
    private final Consumer<PeerLink> whenLeft;
    private final AtomicBoolean hasLeft = new AtomicBoolean();

    /**
     * Creates the link. If the peer moves again, pass the link that is {@link #inUse}.
     *
     * @param whenLeft receives the first link once it is no longer used; its exchanges may still be
     *     in flight
     */
    MovedLink(PeerLink before, PeerLink next, Consumer<PeerLink> whenLeft) {
        this.before = before;
        this.next = next;
        this.whenLeft = whenLeft;
    }

    /** The link that a link uses now. Closes the other one, if it is not used yet. */
    static PeerLink inUse(PeerLink link) {
        if (!(link instanceof MovedLink moved)) {
            return link;
        }
        if (moved.hasLeft.compareAndSet(false, true)) {
            moved.next.close();
            return moved.before;
        }
        return moved.next;
    }

    @Override
    public Sent send(Message message, Receiver receiver) {
        return (hasLeft.get() ? next : before).send(message, receiver);
    }

    @Override
    public void seek(Runnable found) {
        if (hasLeft.compareAndSet(false, true)) {
            whenLeft.accept(before);
        }
        next.seek(found);
    }

    @Override
    public void close() {
        before.close();
        next.close();
    }
}
