package dev.quorate.node.access;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The permissions of a client. Each role includes the previous ones. */
public enum Role {
    /** Reads entities, the ring and figures. */
    READ,
    /** Writes entities, also conditionally. */
    WRITE,
    /** Uses everything, {@code /admin} included. */
    ADMIN;

    public boolean includes(Role needed) {
        return compareTo(needed) >= 0;
    }

    /** The name in files and on the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The role of this name; null if none. */
    public static @Nullable Role of(String text) {
        for (Role role : values()) {
            if (role.text().equals(text)) {
                return role;
            }
        }
        return null;
    }
}
