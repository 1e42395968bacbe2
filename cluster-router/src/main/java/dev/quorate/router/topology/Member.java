package dev.quorate.router.topology;

import dev.quorate.router.token.Token;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
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
 * @param place its place before that change
 * @param next its place after that change, if it is another one
 */
public record Member(
        String name, URI url, int since, Part part, Place place, @Nullable Place next) {

    /** The part of a member in a change of the cluster's members. */
    public enum Part {
        /** It owns keys before and after the change. */
        STAYS,
        /** It owns keys after the change. */
        JOINS,
        /** It owns keys before the change. */
        LEAVES,
        /** It owned keys before the change, and is lost for good: nobody waits for it. */
        LOST;

        boolean ownsBefore() {
            return this != JOINS;
        }

        boolean ownsAfter() {
            return this == STAYS || this == JOINS;
        }
    }

    /**
     * The zone and the weight of a member.
     *
     * @param zone members of one zone may fail together, so the copies of a key are in different
     *     zones, as far as there are enough; written as a name, or empty
     * @param weightPercent the number of its points on the ring, in percent of that of other
     *     members: 25 to 800
     */
    public record Place(String zone, int weightPercent) {

        /** No zone, and the weight 1. */
        public static final Place USUAL = new Place("", 100);

        /**
         * @throws IllegalArgumentException that names the invalid part
         */
        public Place {
            if (!zone.isEmpty() && !NAME.matcher(zone).matches()) {
                throw new IllegalArgumentException(
                        "The zone '" + zone + "' must be written as the name of a member.");
            }
            if (weightPercent < 25 || weightPercent > 800) {
                throw new IllegalArgumentException(
                        "The weight of a member is 0.25 to 8, not %.2f."
                                .formatted(weightPercent / 100.0));
            }
        }

        /** As in the text of a topology, such as {@code /zone*1.50}; empty for the usual place. */
        @Override
        public String toString() {
            return (zone.isEmpty() ? "" : "/" + zone)
                    + (weightPercent == 100
                            ? ""
                            : "*%d.%02d".formatted(weightPercent / 100, weightPercent % 100));
        }
    }

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

    /** The text before the address: sign, name, epoch, place, next place. */
    private static final Pattern LABEL =
            Pattern.compile(
                    "([+!-]?)([^@/*>]*)(?:@([1-9][0-9]{0,8}))?(?:/([^*>]*))?(?:[*]([0-9])[.]([0-9]{2}))?"
                            + "(>(?:/([^*>]*))?(?:[*]([0-9])[.]([0-9]{2}))?)?");

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
        if (next != null && (part != Part.STAYS || next.equals(place))) {
            throw new IllegalArgumentException(name + " cannot change its place to " + next + ".");
        }
        url = canonicalUrl(name, url);
    }

    /** A founding member. */
    public Member(String name, URI url) {
        this(name, url, 1);
    }

    /** A member that neither joins nor leaves. */
    public Member(String name, URI url, int since) {
        this(name, url, since, Part.STAYS, Place.USUAL, null);
    }

    /**
     * Parses a member in the text of a topology.
     *
     * @param label the text before the address
     * @throws IllegalArgumentException that names the invalid part
     */
    static Member parse(String label, URI url) {
        Matcher parts = LABEL.matcher(label);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "The text of a topology has no member '" + label + "'.");
        }
        String since = parts.group(3);
        return new Member(
                parts.group(2),
                url,
                since == null ? 1 : Integer.parseInt(since),
                switch (parts.group(1)) {
                    case "+" -> Part.JOINS;
                    case "-" -> Part.LEAVES;
                    case "!" -> Part.LOST;
                    default -> Part.STAYS;
                },
                place(parts, 4),
                parts.group(7) == null ? null : place(parts, 8));
    }

    private static Place place(Matcher parts, int group) {
        String zone = parts.group(group);
        String whole = parts.group(group + 1);
        return new Place(
                zone == null ? "" : zone,
                whole == null ? 100 : Integer.parseInt(whole + parts.group(group + 2)));
    }

    /**
     * @throws IllegalArgumentException that names the member if its address is not a URL
     */
    static URI address(String name, String url) {
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    ("The address of member '%s' must be http://host:port and nothing else,"
                                    + " not '%s'.")
                            .formatted(name, url),
                    e);
        }
    }

    /** Whether the change that is in progress moves keys to it, or from it. */
    boolean isChanging() {
        return part != Part.STAYS || next != null;
    }

    Member before() {
        return new Member(name, url, since, Part.STAYS, place, null);
    }

    /** The member as it is when the change that is in progress is completed. */
    public Member after() {
        return new Member(name, url, since, Part.STAYS, next == null ? place : next, null);
    }

    /** The same member at another address. */
    public Member at(URI address) {
        return new Member(name, address, since, part, place, next);
    }

    /** The same member at another place. */
    public Member in(Place other) {
        return new Member(name, url, since, part, other, null);
    }

    /** The same member, which changes to another place. */
    public Member to(Place other) {
        return other.equals(place) ? this : new Member(name, url, since, part, place, other);
    }

    /** The same member with a part in a change. */
    public Member as(Part other) {
        return new Member(name, url, since, other, place, next);
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

    /** Whether it is the same member, and not an earlier one of that name. */
    public boolean isSame(Member other) {
        return name.equals(other.name) && since == other.since;
    }

    /** Whether it has the same name: an option does not tell since when it is a member. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Member member && name.equals(member.name);
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
     * As in the text of a topology, before the address: its name, then {@code @since} unless it is
     * a founding member, its place, and {@code >} with its next place; before the name {@code +}
     * for a member that joins, {@code -} for one that leaves and {@code !} for one that is lost.
     */
    String label() {
        String sign =
                switch (part) {
                    case STAYS -> "";
                    case JOINS -> "+";
                    case LEAVES -> "-";
                    case LOST -> "!";
                };
        return sign
                + name
                + (since == 1 ? "" : "@" + since)
                + place
                + (next == null ? "" : ">" + next);
    }

    @Override
    public String toString() {
        return label() + "=" + url;
    }
}
