package dev.quorate.node.access;

import com.google.common.hash.Hashing;
import dev.quorate.node.http.parse.Percent;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An access token as a node stores it: its caller, and the SHA-256 of its text. The text is {@code
 * NAME.SECRET} with 256 random bits in base64url, which cannot be guessed even with a fast digest;
 * a slow one would burden each request.
 */
public final class AccessToken {

    /** Names appear in the log, and in the token's text before its dot. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");

    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    /** Fields of a line: name, role, prefix and digest. */
    private static final int WORDS = 4;

    private static final int MAX_PREFIX_BYTES = 1_024;

    /** Instead of a prefix, in which it would be escaped. */
    private static final String ALL_KEYS = "*";

    private final Caller caller;
    private final byte[] digest;

    private AccessToken(Caller caller, byte[] digest) {
        this.caller = caller;
        this.digest = digest;
    }

    /** A new token, and its text, which is shown once and not stored. */
    public record Issued(AccessToken token, String text) {}

    /**
     * Makes a token.
     *
     * @param prefix empty for all keys
     * @param random cryptographically strong
     * @throws InvalidTokensException if the name or the prefix is invalid
     */
    public static Issued issue(String name, Role role, byte[] prefix, RandomGenerator random)
            throws InvalidTokensException {
        Caller caller = checked(name, role, prefix);
        byte[] secret = new byte[32];
        random.nextBytes(secret);
        String text = name + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        return new Issued(new AccessToken(caller, digest(text)), text);
    }

    private static Caller checked(String name, Role role, byte[] prefix)
            throws InvalidTokensException {
        if (!NAME.matcher(name).matches()) {
            throw new InvalidTokensException(
                    "A token's name has 1 to 64 of a-z, 0-9 and -, and does not begin with -.");
        }
        if (prefix.length > MAX_PREFIX_BYTES) {
            throw new InvalidTokensException(
                    "A prefix has at most " + MAX_PREFIX_BYTES + " bytes, as a key has.");
        }
        if (role == Role.ADMIN && prefix.length > 0) {
            throw new InvalidTokensException(
                    "A token of the role admin has no prefix: its pages show all keys.");
        }
        return new Caller(name, role, prefix);
    }

    /** Reads a line of a file: name, role, prefix and digest, separated by blanks. */
    static AccessToken parse(String line) throws InvalidTokensException {
        String[] words = line.strip().split("[ \t]+", -1);
        if (words.length < WORDS) {
            throw new InvalidTokensException("it does not have name, role, prefix and digest");
        }
        if (words.length > WORDS) {
            // Omits the value, which may be a token's text.
            String field = words[WORDS].substring(0, Math.max(0, words[WORDS].indexOf('=')));
            throw new InvalidTokensException(
                    "its field '%s' is not known: a line has name, role, prefix and digest"
                            .formatted(field));
        }
        Role role = Role.of(words[1]);
        if (role == null) {
            throw new InvalidTokensException("its role is none of read, write and admin");
        }
        if (!DIGEST.matcher(words[3]).matches()) {
            throw new InvalidTokensException("its digest does not have 64 hexadecimal digits");
        }
        try {
            byte[] prefix = words[2].equals(ALL_KEYS) ? new byte[0] : Percent.decode(words[2]);
            return new AccessToken(
                    checked(words[0], role, prefix), HexFormat.of().parseHex(words[3]));
        } catch (Percent.MalformedEscapeException e) {
            throw new InvalidTokensException("its prefix is not percent-encoded");
        }
    }

    String line() {
        return "%s %s %s %s"
                .formatted(
                        name(),
                        caller.role().text(),
                        shownPrefix(),
                        HexFormat.of().formatHex(digest));
    }

    public String name() {
        return caller.name();
    }

    public Caller caller() {
        return caller;
    }

    /** The prefix, percent-encoded; {@code *} for all keys. */
    public String shownPrefix() {
        byte[] prefix = caller.prefix();
        return prefix.length == 0 ? ALL_KEYS : Percent.encode(prefix);
    }

    /** Whether {@code text} is the token's text, compared in constant time. */
    static boolean isText(@Nullable AccessToken token, String text) {
        byte[] presented = digest(text);
        byte[] expected = token == null ? new byte[presented.length] : token.digest;
        return MessageDigest.isEqual(presented, expected) && token != null;
    }

    private static byte[] digest(String text) {
        return Hashing.sha256().hashString(text, StandardCharsets.UTF_8).asBytes();
    }
}
