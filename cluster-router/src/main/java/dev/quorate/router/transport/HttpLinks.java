package dev.quorate.router.transport;

import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/**
 * Creates links over HTTP, which resolve their peers' host names one at a time.
 *
 * <p>Links without TLS share a few clients, each of which is one selector thread: with a thread for
 * each peer, a cluster of twelve used a sixth more processor time for an operation. A client with
 * TLS verifies the name of one peer, and belongs to its link.
 */
public final class HttpLinks implements Function<Member, PeerLink>, AutoCloseable {

    private static final int MAX_SHARED = Math.max(2, Runtime.getRuntime().availableProcessors());

    private final Function<Member, List<InetSocketAddress>> doors;
    private final Duration connectTimeout;
    private final Executor background;
    private final Ticker ticker;
    private final String scheme;
    private final Function<Member, SSLContext> tls;

    /** The shared clients by the number of their links; guarded by {@code this}. */
    private final Map<HttpClient, Integer> shared = new HashMap<>();

    /**
     * @param doors the addresses of a member's peer endpoint, perhaps unresolved
     * @param connectTimeout the timeout of a connection attempt
     * @param background one thread, which may wait for a name server
     * @param scheme {@code http} or {@code https}
     * @param tls the SSL context of the client of each peer
     */
    public HttpLinks(
            Function<Member, List<InetSocketAddress>> doors,
            Duration connectTimeout,
            Executor background,
            Ticker ticker,
            String scheme,
            Function<Member, SSLContext> tls) {
        this.doors = doors;
        this.connectTimeout = connectTimeout;
        this.background = background;
        this.ticker = ticker;
        this.scheme = scheme;
        this.tls = tls;
    }

    @Override
    public PeerLink apply(Member member) {
        PeerAddress address =
                new PeerAddress(doors.apply(member), scheme, PeerCodec.PATH, background);
        boolean isShared = scheme.equals("http");
        HttpClient client = isShared ? share(member) : newClient(member);
        return new HttpLink(
                address,
                client,
                connectTimeout,
                ticker,
                () -> {
                    if (isShared) {
                        leave(client);
                    } else {
                        client.shutdownNow();
                    }
                });
    }

    /** The client with the fewest links, or a new one. */
    private synchronized HttpClient share(Member member) {
        HttpClient client =
                shared.size() < MAX_SHARED
                        ? newClient(member)
                        : Collections.min(shared.entrySet(), Map.Entry.comparingByValue()).getKey();
        shared.merge(client, 1, Integer::sum);
        return client;
    }

    private synchronized void leave(HttpClient client) {
        shared.computeIfPresent(client, (any, links) -> links - 1);
    }

    private HttpClient newClient(Member member) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(Runnable::run)
                .connectTimeout(connectTimeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .sslContext(tls.apply(member))
                .build();
    }

    /** Closes the shared clients. */
    @Override
    public synchronized void close() {
        shared.keySet().forEach(HttpClient::shutdownNow);
        shared.clear();
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
