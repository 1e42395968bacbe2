package dev.quorate.loadtest.beside;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.NodeClient;
import dev.quorate.loadtest.load.Load.Api;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Locale;

/**
 * Another store that runs somewhere.
 *
 * @param url with its port
 * @param description what it is, and what its acknowledgements promise
 */
public record OtherStore(Kind kind, String url, String description) {

    private static final int MAX_PORT = 65_535;

    /** Which store. */
    public enum Kind {
        ETCD(Api.ETCD, "http", 2_379),
        REDIS(Api.REDIS, "redis", 6_379);

        private final Api api;
        private final String scheme;
        private final int usualPort;

        Kind(Api api, String scheme, int usualPort) {
            this.api = api;
            this.scheme = scheme;
            this.usualPort = usualPort;
        }

        /** How it is asked. */
        Api api() {
            return api;
        }

        /** As it calls itself. */
        public String label() {
            return this == ETCD ? "etcd" : "Redis";
        }
    }

    /**
     * Asks a store what it is.
     *
     * @throws CommandException a sentence that says why no load can be sent to it
     */
    public static OtherStore ask(Kind kind, String url, NodeClient client) throws CommandException {
        URI uri = uri(kind, url);
        InetSocketAddress address = new InetSocketAddress(uri.getHost(), uri.getPort());
        if (address.isUnresolved()) {
            throw new CommandException("no machine is called " + uri.getHost() + ".");
        }
        String description =
                switch (kind) {
                    case ETCD -> new EtcdQuestions(uri.toString(), client).description();
                    case REDIS -> RedisQuestions.description(address, uri.toString());
                };
        return new OtherStore(kind, uri.toString(), description);
    }

    /** With the usual port where none is given. */
    private static URI uri(Kind kind, String url) throws CommandException {
        String form = kind.scheme + "://host:" + kind.usualPort;
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw new CommandException("'" + url + "' is not of the form " + form + ".", e);
        }
        if (uri.getUserInfo() != null) {
            throw new CommandException(
                    "a user or password in a URL is not supported: "
                            + kind.label()
                            + " without authentication is what can be measured.");
        }
        String path = uri.getPath() == null ? "" : uri.getPath();
        boolean isPlain =
                uri.getHost() != null
                        && uri.getPort() <= MAX_PORT
                        && (path.isEmpty() || path.equals("/"))
                        && uri.getQuery() == null
                        && uri.getFragment() == null
                        && kind.scheme.equals(
                                String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT));
        if (!isPlain) {
            throw new CommandException("'" + url + "' is not of the form " + form + ".");
        }
        int port = uri.getPort() < 0 ? kind.usualPort : uri.getPort();
        return URI.create(kind.scheme + "://" + uri.getHost() + ":" + port);
    }
}
