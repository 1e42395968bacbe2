package dev.quorate.router.topology;

import dev.quorate.router.token.Token;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One node of the cluster: its name and its address.
 *
 * <p>The name alone determines which keys the node owns, so a change of address moves no data. A
 * name that left the cluster and returns is another member: {@code since} tells them apart.
 *
 * @param name lower-case letters, digits and dashes, at most 63, beginning with a letter or digit
 * @param url exactly {@code http://host:port}; the host is converted to lower case
 * @param since the epoch in which the member joined, from 1; see {@link Topology#epoch}
 * @param part its part in the change that is in progress
 */
public record Member(String name, URI url, int since, Part part) {

    /** The part of a member in a change of the cluster's members. */
    public enum Part {
        /** It owns keys before and after the change. */
        STAYS,
        /** It owns keys after the change. */
        JOINS,
        /** It owns keys before the change. */
        LEAVES
    }

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
    private static final int MAX_PORT = 65_535;

    /**
     * @throws IllegalArgumentException that names the invalid part
     */
    public Member {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(url, "url");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "The member name '"
                            + name
                            + "' must be 1 to 63 of a-z, 0-9 and '-', not beginning with '-'.");
        }
        if (since < 1) {
            throw new IllegalArgumentException(name + " cannot join in epoch " + since + ".");
        }
        url = canonicalUrl(name, url);
    }

    /** A founding member. */
    public Member(String name, URI url) {
        this(name, url, 1);
    }

    /** A member that neither joins nor leaves. */
    public Member(String name, URI url, int since) {
        this(name, url, since, Part.STAYS);
    }

    /** The same member at another address. */
    public Member at(URI address) {
        return new Member(name, address, since, part);
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
                    ("The address of member '%s' must be http://host:port and nothing else, not"
                                    + " '%s'.%s")
                            .formatted(
                                    name,
                                    url,
                                    host == null && String.valueOf(url.getAuthority()).contains("_")
                                            ? " A host name has no underscore."
                                            : ""));
        }
        try {
            return new URI("http", null, host.toLowerCase(Locale.ROOT), port, null, null, null);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "The address of member '" + name + "' is not a URL: " + e.getMessage(), e);
        }
    }

    /** Whether it is the same member, at whatever address. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Member member && name.equals(member.name) && since == member.since;
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /**
     * The number of this node, which breaks ties between timestamps: 32 bits, unsigned, of the hash
     * of its name. A {@link Topology} rejects 0, and two members with the same number.
     */
    public int number() {
        return (int) Token.hash(name.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * {@code name=url} as in the text of a topology: after the name {@code @since} unless it is a
     * founding member, before it {@code +} for one that joins and {@code -} for one that leaves.
     */
    @Override
    public String toString() {
        String sign =
                switch (part) {
                    case STAYS -> "";
                    case JOINS -> "+";
                    case LEAVES -> "-";
                };
        return sign + name + (since == 1 ? "" : "@" + since) + "=" + url;
    }
}
