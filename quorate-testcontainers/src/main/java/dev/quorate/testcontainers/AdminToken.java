package dev.quorate.testcontainers;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * An access token with the role admin.
 *
 * @param text {@code NAME.SECRET}
 */
record AdminToken(String text) {

    AdminToken {
        if (!text.matches("[a-z0-9][a-z0-9-]{0,63}\\.[!-~]{1,400}")) {
            throw new IllegalArgumentException(
                    "A token is NAME.SECRET, such as test.secret; the name has 1 to 64 of a-z, 0-9"
                            + " and -, and the secret is one word of ASCII.");
        }
    }

    /** The file of tokens, as {@code quorate token add} writes it. */
    String file() {
        String name = text.substring(0, text.indexOf('.'));
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.US_ASCII));
            return name + " admin * " + HexFormat.of().formatHex(digest) + "\ntokens 1\n";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }
}
