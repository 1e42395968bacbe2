package dev.quorate.node.access;

import dev.quorate.storage.KeyRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The sender of a request, as far as its token says. */
public final class Caller {

    private static final byte[] ALL_KEYS = {};

    /** Whoever sends a request to a node without tokens. */
    public static final Caller ANYBODY = new Caller("anybody", Role.ADMIN, ALL_KEYS);

    private final String name;
    private final Role role;
    private final byte[] prefix;

    /**
     * @param name of the token
     * @param prefix with which all keys begin that the caller may use; empty for all keys
     */
    Caller(String name, Role role, byte[] prefix) {
        this.name = name;
        this.role = role;
        this.prefix = prefix.clone();
    }

    public String name() {
        return name;
    }

    public Role role() {
        return role;
    }

    /** With which all keys begin that the caller may use; empty for all keys. */
    byte[] prefix() {
        return prefix.clone();
    }

    public boolean mayUse(byte[] key) {
        return key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    /**
     * Whether every key of a range may be used.
     *
     * @param start included
     * @param end not included; null for no end
     */
    public boolean mayUse(byte[] start, byte @Nullable [] end) {
        if (prefix.length == 0) {
            return true;
        }
        byte[] behind = KeyRange.afterPrefix(prefix);
        boolean endsInside =
                behind == null || (end != null && Arrays.compareUnsigned(end, behind) <= 0);
        return endsInside && Arrays.compareUnsigned(start, prefix) >= 0;
    }
}
