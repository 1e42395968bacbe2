package dev.quorate.node.api.request;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The host names under which a node accepts requests. Any other name that resolves to this node's
 * address is refused: a page in a browser could reach it that way (DNS rebinding). Numeric
 * addresses are safe.
 */
public final class KnownHosts {

    /** As a name: accepts every name, except for administrative requests. */
    public static final String ALL = "*";

    private final Set<String> names = new HashSet<>();

    private final Predicate<String> others;

    /** A header that was accepted and always will be: most requests have the same. */
    private volatile String accepted = "localhost";

    /**
     * Accepts these names, localhost, and numeric addresses.
     *
     * @param others accepts further names, in lower case, that change later
     */
    public KnownHosts(Collection<String> names, Predicate<String> others) {
        this.others = others;
        for (String name : names) {
            this.names.add(name.toLowerCase(Locale.ROOT));
        }
    }

    /**
     * Whether a Host header names this node.
     *
     * @param host a Host header's value, with or without a port; null without one
     */
    boolean contains(@Nullable String host, boolean isAdmin) {
        if (host == null || (!isAdmin && names.contains(ALL))) {
            return true; // Every browser sends the header.
        }
        if (host.equals(accepted)) {
            return true;
        }
        String name = withoutPort(host).toLowerCase(Locale.ROOT);
        boolean isAccepted =
                (names.contains(name) && !name.equals(ALL))
                        || name.equals("localhost")
                        || name.endsWith(".localhost")
                        || isAddress(name);
        accepted = isAccepted ? host : accepted;
        return isAccepted || others.test(name);
    }

    private static String withoutPort(String host) {
        int colon = host.lastIndexOf(':');
        return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
    }

    private static boolean isAddress(String name) {
        if (name.startsWith("[")) {
            return name.endsWith("]");
        }
        return !name.isEmpty() && name.chars().allMatch(c -> (c >= '0' && c <= '9') || c == '.');
    }
}
