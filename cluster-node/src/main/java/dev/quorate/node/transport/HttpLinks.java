package dev.quorate.node.transport;

import dev.quorate.node.runtime.Ticker;
import dev.quorate.node.tls.NoTls;
import dev.quorate.node.tls.TlsContext;
import dev.quorate.router.topology.Member;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Links over HTTP, which resolve their peers' names one after the other. */
public final class HttpLinks implements Function<Member, PeerLink> {

    private static final long MAX_LOOK_UP_MILLIS = 1_000;

    private final Function<Member, InetSocketAddress> door;
    private final Duration connectTimeout;
    private final Executor background;
    private final Ticker ticker;
    private final @Nullable Supplier<TlsContext> tls;

    /**
     * @param door the address of a member's door, perhaps unresolved
     * @param connectTimeout the timeout of a connection attempt
     * @param background one thread, which may wait for a name server
     * @param tls this node's certificate of the moment; null to speak without TLS
     */
    public HttpLinks(
            Function<Member, InetSocketAddress> door,
            Duration connectTimeout,
            Executor background,
            Ticker ticker,
            @Nullable Supplier<TlsContext> tls) {
        this.door = door;
        this.connectTimeout = connectTimeout;
        this.background = background;
        this.ticker = ticker;
        this.tls = tls;
    }

    @Override
    public PeerLink apply(Member member) {
        PeerAddress address =
                new PeerAddress(
                        door.apply(member),
                        tls == null ? "http" : "https",
                        PeerDoor.PATH,
                        background);
        return new HttpLink(address, connectTimeout, ticker, context(member));
    }

    /** Its certificate must have the host that the topology gives it, wherever its door is. */
    private SSLContext context(Member member) {
        if (tls == null) {
            return NoTls.INSTANCE;
        }
        String host = String.valueOf(member.url().getHost());
        return new PeerTls(tls, host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
    }

    /**
     * Waits for the pending look-ups, so that the first client's request reaches the peers; but not
     * long for a name server that does not answer.
     */
    public void awaitLookUps() {
        CountDownLatch lookedUp = new CountDownLatch(1);
        background.execute(lookedUp::countDown); // runs after the look-ups
        try {
            var _ = lookedUp.await(MAX_LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
