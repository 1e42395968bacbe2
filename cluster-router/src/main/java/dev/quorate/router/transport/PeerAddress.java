package dev.quorate.router.transport;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
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

    private final List<InetSocketAddress> doors;

    /** The result of the last look-up of each. */
    private final @Nullable URI[] found;

    /** The index of the last one that was looked up. */
    private int at = -1;

    private final String scheme;
    private final String path;
    private final Executor background;
    private final AtomicBoolean resolving = new AtomicBoolean();
    private volatile @Nullable URI uri;
    private volatile String problem = "its address has not been looked up yet";

    /**
     * @param doors the peer endpoint's addresses, of which the next is used after a failure
     */
    PeerAddress(List<InetSocketAddress> doors, String scheme, String path, Executor background) {
        this.doors = List.copyOf(doors);
        this.found = new URI[doors.size()];
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

    /** Used by one thread at a time. */
    private boolean lookUp() {
        at = (at + 1) % found.length;
        String host = doors.get(at).getHostString();
        try {
            InetAddress address = InetAddress.getByName(host);
            String literal =
                    address instanceof Inet6Address
                            ? "[" + address.getHostAddress().replaceFirst("%.*", "") + "]"
                            : address.getHostAddress();
            int port = doors.get(at).getPort();
            URI now = URI.create(scheme + "://" + literal + ":" + port + path);
            boolean isNew = !now.equals(found[at]);
            found[at] = now;
            uri = now;
            return isNew;
        } catch (UnknownHostException e) {
            problem = "its host " + host + " is not known";
            return false;
        }
    }
}
