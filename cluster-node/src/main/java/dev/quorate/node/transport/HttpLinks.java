package dev.quorate.node.transport;

import dev.quorate.router.topology.Member;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** Links over HTTP, which look their peers' names up one after the other. */
public final class HttpLinks implements Function<Member, PeerLink> {

    private static final long MOST_LOOK_UP_MILLIS = 1_000;

    private final ToIntFunction<Member> peerPort;
    private final Duration connectTimeout;
    private final Executor background;

    /**
     * @param peerPort the port of a member's door
     * @param connectTimeout how long a connection may take to be made
     * @param background one thread, which may wait for a name service
     */
    public HttpLinks(ToIntFunction<Member> peerPort, Duration connectTimeout, Executor background) {
        this.peerPort = peerPort;
        this.connectTimeout = connectTimeout;
        this.background = background;
    }

    @Override
    public PeerLink apply(Member member) {
        return new HttpLink(member, peerPort.applyAsInt(member), connectTimeout, background);
    }

    /**
     * Waits until what has been asked of the name service so far is answered, so that the first
     * client's request finds the peers; but a name service that does not answer holds up no node
     * for long.
     */
    public void awaitLookUps() {
        CountDownLatch lookedUp = new CountDownLatch(1);
        background.execute(lookedUp::countDown); // comes after the look-ups
        try {
            var _ = lookedUp.await(MOST_LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
