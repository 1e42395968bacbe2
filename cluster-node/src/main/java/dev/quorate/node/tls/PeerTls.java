package dev.quorate.node.tls;

import dev.quorate.router.topology.Member;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The SSL context of the HTTP client of one peer. Each connection uses the node's current
 * certificate, and requires that the peer's certificate contains its host name in the topology: the
 * client itself only gets addresses, which certificates rarely contain.
 */
public final class PeerTls extends SSLContext {

    private PeerTls(Supplier<TlsContext> current, String host) {
        super(new Spi(current, host), null, "TLS");
    }

    /**
     * The context for the client of each peer. A peer's certificate must contain its host in the
     * topology, even if its peer port is elsewhere.
     *
     * @param tls supplies this node's current certificate; null disables TLS
     */
    public static Function<Member, SSLContext> ofPeers(@Nullable Supplier<TlsContext> tls) {
        if (tls == null) {
            return peer -> NoTls.INSTANCE;
        }
        return peer -> {
            String host = String.valueOf(peer.url().getHost());
            boolean isBracketed = host.startsWith("[");
            return new PeerTls(tls, isBracketed ? host.substring(1, host.length() - 1) : host);
        };
    }

    private static final class Spi extends NoTls.Spi {

        private final Supplier<TlsContext> current;
        private final String host;

        Spi(Supplier<TlsContext> current, String host) {
            super("the HTTP client uses engines");
            this.current = current;
            this.host = host;
        }

        /** Called by every client when it is created. */
        @Override
        protected SSLParameters engineGetDefaultSSLParameters() {
            return current.get().parameters();
        }

        @Override
        protected SSLParameters engineGetSupportedSSLParameters() {
            return engineGetDefaultSSLParameters();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            return engineCreateSSLEngine(host, -1);
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String address, int port) {
            return current.get().toPeer(host, port);
        }
    }
}
