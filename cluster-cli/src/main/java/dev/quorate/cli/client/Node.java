package dev.quorate.cli.client;

import dev.quorate.cli.local.NodeAccess;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where a node listens for clients.
 *
 * @param url as the user gave it
 * @param access how the user may use it
 */
public record Node(String url, String host, int port, NodeAccess access) {

    private static final int MAX_PORT = 65_535;

    /**
     * Parses a URL.
     *
     * @throws CommandFailure unless it is of the form {@code http://host:port}, or of https
     */
    public static Node parse(String url, NodeAccess access) throws CommandFailure {
        try {
            URI uri = new URI(url);
            String path = uri.getPath() == null ? "" : uri.getPath();
            boolean isPlain =
                    ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                            && uri.getHost() != null
                            && uri.getPort() > 0
                            && uri.getPort() <= MAX_PORT
                            && uri.getUserInfo() == null
                            && uri.getQuery() == null
                            && uri.getFragment() == null
                            && (path.isEmpty() || path.equals("/"));
            if (isPlain) {
                return new Node(url, uri.getHost(), uri.getPort(), access);
            }
        } catch (URISyntaxException e) {
            // Reported below.
        }
        throw new CommandFailure(
                ExitCode.USAGE, "'" + url + "' is not a URL such as http://10.0.0.1:8080.");
    }

    public boolean isTls() {
        return url.startsWith("https:");
    }

    /** For a {@code Host} header. */
    String authority() {
        return host + ":" + port;
    }
}
