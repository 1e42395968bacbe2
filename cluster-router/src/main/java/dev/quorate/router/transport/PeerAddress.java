package dev.quorate.router.transport;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The address of a peer endpoint, resolved in advance on a thread that may block.
 *
 * <p>The HTTP client resolves host names on the calling thread, which here is a selector, and a
 * name server that does not answer would block it for seconds. So the client only gets numeric
 * addresses. The name is resolved again whenever the peer is unreachable: a restarted container may
 * have another address.
 */
final class PeerAddress {

    private final String host;
    private final int port;
    private final String scheme;
    private final String path;
    private final Executor background;
    private final AtomicBoolean resolving = new AtomicBoolean();
    private volatile @Nullable URI uri;
    private volatile String problem = "its address has not been looked up yet";

    PeerAddress(InetSocketAddress door, String scheme, String path, Executor background) {
        this.host = door.getHostString();
        this.port = door.getPort();
        this.scheme = scheme;
        this.path = path;
        this.background = background;
    }

    /** The endpoint's URL with a numeric address; null while unknown. */
    @Nullable URI uri() {
        return uri;
    }

    /** Why the address is unknown. */
    String problem() {
        return problem;
    }

    /**
     * Resolves the address in the background, unless a look-up is in progress.
     *
     * @param whenNew runs afterwards if the address is new
     */
    void resolve(Runnable whenNew) {
        if (!resolving.compareAndSet(false, true)) {
            return;
        }
        try {
            background.execute(
                    () -> {
                        boolean isNew = lookUp();
                        resolving.set(false);
                        if (isNew) {
                            whenNew.run();
                        }
                    });
        } catch (RejectedExecutionException stopping) {
            resolving.set(false);
        }
    }

    private boolean lookUp() {
        try {
            InetAddress address = InetAddress.getByName(host);
            String literal =
                    address instanceof Inet6Address
                            ? "[" + address.getHostAddress().replaceFirst("%.*", "") + "]"
                            : address.getHostAddress();
            URI found = URI.create(scheme + "://" + literal + ":" + port + path);
            boolean isNew = !found.equals(uri);
            uri = found;
            return isNew;
        } catch (UnknownHostException e) {
            problem = "its host " + host + " is not known";
            return false;
        }
    }
}
