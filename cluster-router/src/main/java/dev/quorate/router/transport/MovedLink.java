package dev.quorate.router.transport;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The link to a peer that moves. The members agree on its new address before it serves there, so
 * the address before is used until it fails.
 */
final class MovedLink implements PeerLink {

    private final PeerLink before;
    private final PeerLink next;
    private final Consumer<PeerLink> whenLeft;
    private final AtomicBoolean hasLeft = new AtomicBoolean();

    /**
     * A link that uses another one from its first failure on.
     *
     * @param whenLeft receives the link before when it is no longer used; exchanges may be in
     *     flight
     */
    MovedLink(PeerLink before, PeerLink next, Consumer<PeerLink> whenLeft) {
        this.before = before;
        this.next = next;
        this.whenLeft = whenLeft;
        next.seek(() -> {}); // resolves the address
    }

    @Override
    public Sent send(Message message, Receiver receiver) {
        return (hasLeft.get() ? next : before).send(message, receiver);
    }

    @Override
    public void seek(Runnable found) {
        if (hasLeft.compareAndSet(false, true)) {
            whenLeft.accept(before);
            found.run();
        } else {
            next.seek(found);
        }
    }

    @Override
    public void close() {
        before.close();
        next.close();
    }
}
