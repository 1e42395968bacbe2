package dev.quorate.node.access;

import dev.quorate.storage.KeyRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The sender of a request, identified by its token. */
public final class Caller {

    private static final byte[] ALL_KEYS = {};

    /** The sender of a request that needs no token. */
    public static final Caller ANYBODY = new Caller("anybody", Role.ADMIN, ALL_KEYS);

    private final String name;
    private final Role role;
    private final byte[] prefix;

    /**
     * @param name the token's name
     * @param prefix the prefix of all keys that the caller may use; empty for all keys
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

    /** The prefix of all keys that the caller may use; empty for all keys. */
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
     * @param start inclusive
     * @param end exclusive; null if unbounded
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
