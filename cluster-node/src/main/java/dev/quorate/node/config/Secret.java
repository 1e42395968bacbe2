package dev.quorate.node.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hashing;
import dev.quorate.router.message.FrameHeader;
import dev.quorate.router.message.FrameSeal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The secret of a cluster's members: one line, or two while it is rotated (decision 0058). The
 * first seals, and both are accepted. Its text form is masked.
 */
public final class Secret {

    /** Shorter secrets could be guessed. */
    static final int MIN_LENGTH = 16;

    /** The header with {@link #sealOfJoin}. */
    public static final String JOIN_SEAL = "join-seal";

    static final String MASK = "********";

    private final List<String> lines;
    private final @Nullable Path file;
    private final FrameSeal seal;

    /**
     * @throws IllegalArgumentException as {@link #Secret(String, Path)}
     */
    public Secret(String text) {
        this(text, null);
    }

    /**
     * @param file contains the text; null for none
     * @throws IllegalArgumentException if the text is invalid; the message continues after the
     *     option's name
     */
    Secret(String text, @Nullable Path file) {
        this.lines = text.strip().lines().map(String::strip).toList();
        this.file = file;
        int shortest = lines.stream().mapToInt(String::length).min().orElse(0);
        if (shortest < MIN_LENGTH) {
            throw new IllegalArgumentException(
                    "must be at least %d characters in each line, and has %d."
                            .formatted(MIN_LENGTH, shortest));
        }
        if (lines.size() > 2 || lines.size() > Set.copyOf(lines).size()) {
            throw new IllegalArgumentException(
                    "must have one line, or two different ones while the secret is rotated.");
        }
        FrameSeal second =
                lines.size() == 1 ? null : new FrameSeal(lines.getLast().getBytes(UTF_8));
        seal = new FrameSeal(bytes(), second);
    }

    /**
     * Reads a file with secrets.
     *
     * @throws IOException if it cannot be read or is invalid; the message names it
     */
    public static Secret read(Path file) throws IOException {
        try {
            return new Secret(Files.readString(file), file);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " " + e.getMessage(), e);
        }
    }

    /** The file that the secret was read from; null if it was given directly. */
    public @Nullable Path file() {
        return file;
    }

    /** The key for message authentication codes; a copy. */
    public byte[] bytes() {
        return lines.getFirst().getBytes(UTF_8);
    }

    /** Seals and checks frames. */
    public FrameSeal seal() {
        return seal;
    }

    /**
     * The seal of a request to join, which shows that its sender knows the secret: HMAC-SHA256 in
     * hexadecimal digits.
     *
     * @param epoch the header {@code If-Match}; empty without one
     * @param query the query of the request; empty without one
     */
    public String sealOfJoin(String epoch, String query) {
        return hmac(lines.getFirst(), join(epoch, query));
    }

    /** Whether a request to join was sealed with one of the secrets. */
    public boolean isSealOfJoin(String shown, String epoch, String query) {
        byte[] seal = shown.getBytes(UTF_8);
        // Compares in constant time.
        return lines.stream()
                .map(line -> hmac(line, join(epoch, query)).getBytes(UTF_8))
                .anyMatch(each -> MessageDigest.isEqual(each, seal));
    }

    private static String join(String epoch, String query) {
        return "quorate join %d %s %s".formatted(FrameHeader.VERSION, epoch, query);
    }

    private static String hmac(String secret, String text) {
        return Hashing.hmacSha256(secret.getBytes(UTF_8)).hashString(text, UTF_8).toString();
    }

    /** A fingerprint of each line: eight hexadecimal digits, from which no secret follows. */
    public List<String> fingerprints() {
        return lines.stream()
                .map(line -> hmac(line, "quorate fingerprint").substring(0, 8))
                .toList();
    }

    @Override
    public String toString() {
        return MASK;
    }
}
