package dev.quorate.node.access;

import java.util.Locale;

/** What one client may take only a part of. */
public enum Share {
    /** Requests a second of a token. */
    TOKEN_REQUESTS,
    /** Bytes a second of a token: of bodies received, and of answers sent. */
    TOKEN_BYTES,
    /** Ranges of a token that are open at once. */
    TOKEN_RANGES,
    /** Ranges of an address that are open at once. */
    ADDRESS_RANGES;

    /** The name in metrics. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
