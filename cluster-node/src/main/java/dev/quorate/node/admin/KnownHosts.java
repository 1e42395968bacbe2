package dev.quorate.node.admin;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names by which a node may be asked for what only its operators do. A name that somebody else
 * has pointed at this node's address is none of them: that is how a page in a browser would get to
 * it (DNS rebinding). Addresses in digits cannot be pointed anywhere.
 */
public final class KnownHosts {

    private final Set<String> names = new HashSet<>();

    /** These, localhost, and whatever is an address. */
    public KnownHosts(Collection<String> names) {
        for (String name : names) {
            this.names.add(name.toLowerCase(Locale.ROOT));
        }
    }

    /**
     * Whether that is one of them.
     *
     * @param host a Host header's value, with a port or not; null without one
     */
    boolean contains(@Nullable String host) {
        if (host == null) {
            return true; // No browser leaves it out.
        }
        String name = withoutPort(host).toLowerCase(Locale.ROOT);
        return names.contains(name)
                || name.equals("localhost")
                || name.endsWith(".localhost")
                || isAddress(name);
    }

    private static String withoutPort(String host) {
        int colon = host.lastIndexOf(':');
        return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
    }

    private static boolean isAddress(String name) {
        if (name.startsWith("[")) {
            return name.endsWith("]");
        }
        boolean isDigits = !name.isEmpty();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            isDigits &= (c >= '0' && c <= '9') || c == '.';
        }
        return isDigits;
    }
}
