package dev.quorate.router.topology;

import dev.quorate.router.token.Token;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * One node of the cluster, as every other node knows it.
 *
 * <p>The name is the node's identity: it alone decides which keys the node owns. The address may
 * change without a byte of data moving.
 *
 * @param name lower-case letters, digits and dashes, at most 63, beginning with a letter or digit
 * @param url {@code http://host:port} and nothing else; the host is kept in lower case
 */
public record Member(String name, URI url) {

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
    private static final int MAX_PORT = 65_535;

    /**
     * @throws IllegalArgumentException naming the part that is not as described above
     */
    public Member {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(url, "url");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "The member name '"
                            + name
                            + "' has to be 1 to 63 of a-z, 0-9 and '-', not beginning with '-'.");
        }
        url = canonicalUrl(name, url);
    }

    private static URI canonicalUrl(String name, URI url) {
        String scheme = url.getScheme();
        String host = url.getHost();
        int port = url.getPort();
        String path = url.getRawPath();
        boolean bare =
                (path == null || path.isEmpty())
                        && url.getRawQuery() == null
                        && url.getRawFragment() == null
                        && url.getRawUserInfo() == null;
        if (!"http".equalsIgnoreCase(scheme)
                || host == null
                || port < 1
                || port > MAX_PORT
                || !bare) {
            throw new IllegalArgumentException(
                    "The address of member '"
                            + name
                            + "' has to be http://host:port and nothing else, not '"
                            + url
                            + "'.");
        }
        try {
            return new URI("http", null, host.toLowerCase(Locale.ROOT), port, null, null, null);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "The address of member '" + name + "' is not a URL: " + e.getMessage(), e);
        }
    }

    /**
     * A number for this node that breaks ties between timestamps: 32 bits, unsigned, of the hash of
     * its name. A {@link Topology} refuses two members with the same number.
     */
    public int number() {
        return (int) Token.hash(name.getBytes(StandardCharsets.US_ASCII));
    }

    /** {@code name=url}, as it stands in a topology. */
    @Override
    public String toString() {
        return name + "=" + url;
    }
}
