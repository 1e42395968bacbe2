package dev.quorate.node.access;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a client may do. Each role includes those before it. */
public enum Role {
    /** Reads entities, the ring and figures. */
    READ,
    /** Writes entities, conditionally too. */
    WRITE,
    /** Uses everything, {@code /admin} included. */
    ADMIN;

    /** Whether this role suffices where that one is needed. */
    public boolean includes(Role needed) {
        return compareTo(needed) >= 0;
    }

    /** The name in files and on the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The role of that name; null if there is none. */
    public static @Nullable Role of(String text) {
        for (Role role : values()) {
            if (role.text().equals(text)) {
                return role;
            }
        }
        return null;
    }
}
