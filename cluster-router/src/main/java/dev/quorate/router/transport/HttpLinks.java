package dev.quorate.router.transport;

import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/**
 * Creates links over HTTP, which resolve their peers' host names one at a time.
 *
 * @param doors the addresses of a member's peer endpoint, perhaps unresolved
 * @param connectTimeout the timeout of a connection attempt
 * @param background one thread, which may wait for a name server
 * @param scheme {@code http} or {@code https}
 * @param tls the SSL context of the client of each peer
 */
public record HttpLinks(
        Function<Member, List<InetSocketAddress>> doors,
        Duration connectTimeout,
        Executor background,
        Ticker ticker,
        String scheme,
        Function<Member, SSLContext> tls)
        implements Function<Member, PeerLink> {

    @Override
    public PeerLink apply(Member member) {
        PeerAddress address =
                new PeerAddress(doors.apply(member), scheme, PeerCodec.PATH, background);
        return new HttpLink(address, connectTimeout, ticker, tls.apply(member));
    }

    /**
     * Waits up to one second for pending look-ups, so that the first client request reaches the
     * peers.
     */
    public void awaitLookUps() {
        CountDownLatch lookedUp = new CountDownLatch(1);
        background.execute(lookedUp::countDown); // runs after the look-ups
        try {
            var _ = lookedUp.await(1_000, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
