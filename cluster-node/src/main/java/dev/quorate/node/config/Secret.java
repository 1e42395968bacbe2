package dev.quorate.node.config;

import com.google.common.hash.Hashing;
import dev.quorate.router.message.FrameHeader;
import java.nio.charset.StandardCharsets;

/** The secret of a cluster's members. Its text form is masked. */
public final class Secret {

    /** Shorter secrets could be guessed. */
    static final int MIN_LENGTH = 16;

    /** The header with {@link #sealOfJoin}. */
    public static final String JOIN_SEAL = "join-seal";

    static final String MASK = "********";

    private final String text;

    /**
     * @throws IllegalArgumentException if the text is shorter than 16 characters
     */
    public Secret(String text) {
        if (text.length() < MIN_LENGTH) {
            throw new IllegalArgumentException("shorter than " + MIN_LENGTH + " characters");
        }
        this.text = text;
    }

    /** The key for message authentication codes; a copy. */
    public byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The seal of a request to join, which shows that its sender knows the secret: HMAC-SHA256 in
     * hexadecimal digits.
     *
     * @param epoch the header {@code If-Match}; empty without one
     * @param query the query of the request; empty without one
     */
    public String sealOfJoin(String epoch, String query) {
        String sealed = "quorate join %d %s %s".formatted(FrameHeader.VERSION, epoch, query);
        return Hashing.hmacSha256(bytes()).hashString(sealed, StandardCharsets.UTF_8).toString();
    }

    @Override
    public String toString() {
        return MASK;
    }
}
