package dev.quorate.node.access;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All tokens of a node. Immutable.
 *
 * <p>Text form: a line for each token, and a last line {@code tokens N} with their number, which
 * reveals a truncated file. Empty lines, and lines that begin with {@code #}, are ignored.
 */
public final class AccessTokens {

    /** Maximum size of a file, in bytes. */
    public static final int MAX_BYTES = 2 << 20;

    private static final int MAX_TOKENS = 1_024;
    private static final String LAST_LINE = "tokens ";
    private static final String HEADER =
            """
            # Access tokens of Quorate: name, role, prefix (* is every key), SHA-256 of the token.
            # Change it with ./quorate token add, list and revoke.
            """;

    private final Map<String, AccessToken> byName;

    private AccessTokens(Map<String, AccessToken> byName) {
        this.byName = byName;
    }

    /** No tokens: every caller is unknown. */
    public static AccessTokens none() {
        return new AccessTokens(Map.of());
    }

    /**
     * Parses a file.
     *
     * @throws InvalidTokensException if anything in it is invalid, or its end is missing
     */
    public static AccessTokens parse(byte[] file) throws InvalidTokensException {
        Map<String, AccessToken> byName = new LinkedHashMap<>();
        String last = null;
        int number = 0;
        for (String line : text(file).split("\n", -1)) {
            number++;
            String words = line.strip();
            if (words.isEmpty() || words.startsWith("#")) {
                continue;
            }
            if (last != null) {
                throw new InvalidTokensException("line " + number + " is behind the last line");
            }
            if (words.startsWith(LAST_LINE) && words.split("[ \t]+", -1).length == 2) {
                last = words.substring(LAST_LINE.length()).strip();
            } else {
                add(byName, words, number);
            }
        }
        if (last == null) {
            throw new InvalidTokensException(
                    "its last line, 'tokens N' with the number of tokens, is missing: the file is"
                            + " incomplete");
        }
        if (!last.equals("" + byName.size())) {
            throw new InvalidTokensException(
                    "it has " + byName.size() + " tokens, and its last line says " + last);
        }
        return new AccessTokens(byName);
    }

    private static String text(byte[] file) throws InvalidTokensException {
        try {
            return StandardCharsets.US_ASCII.newDecoder().decode(ByteBuffer.wrap(file)).toString();
        } catch (CharacterCodingException e) {
            throw new InvalidTokensException("it is not ASCII");
        }
    }

    private static void add(Map<String, AccessToken> byName, String line, int number)
            throws InvalidTokensException {
        try {
            AccessToken token = AccessToken.parse(line);
            if (byName.put(token.name(), token) != null) {
                throw new InvalidTokensException("another line has its name");
            }
            if (byName.size() > MAX_TOKENS) {
                throw new InvalidTokensException("there are more than " + MAX_TOKENS + " tokens");
            }
        } catch (InvalidTokensException e) {
            throw new InvalidTokensException("line " + number + ": " + e.getMessage());
        }
    }

    /** The text of a file that {@link #parse} reads. */
    public byte[] bytes() {
        StringBuilder text = new StringBuilder(HEADER);
        byName.values().forEach(token -> text.append(token.line()).append('\n'));
        text.append(LAST_LINE).append(byName.size()).append('\n');
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** All tokens, in the order of the file. */
    public List<AccessToken> all() {
        return List.copyOf(byName.values());
    }

    public @Nullable AccessToken named(String name) {
        return byName.get(name);
    }

    /** A copy with another token, whose name must be new. */
    public AccessTokens with(AccessToken token) throws InvalidTokensException {
        if (byName.containsKey(token.name())) {
            throw new InvalidTokensException("There is a token '" + token.name() + "' already.");
        }
        if (byName.size() == MAX_TOKENS) {
            throw new InvalidTokensException("There are " + MAX_TOKENS + " tokens already.");
        }
        List<AccessToken> all = new ArrayList<>(byName.values());
        all.add(token);
        return of(all);
    }

    /** A copy without the token of this name. */
    public AccessTokens without(String name) {
        return of(byName.values().stream().filter(each -> !each.name().equals(name)).toList());
    }

    private static AccessTokens of(List<AccessToken> all) {
        Map<String, AccessToken> byName = new LinkedHashMap<>();
        all.forEach(each -> byName.put(each.name(), each));
        return new AccessTokens(byName);
    }

    /**
     * The caller whose token has this text; null if none. The name in it is public, so it may be
     * looked up; the secret is compared in constant time.
     */
    @Nullable Caller caller(String text) {
        int dot = text.indexOf('.');
        AccessToken token = dot < 0 ? null : byName.get(text.substring(0, dot));
        return AccessToken.isText(token, text) && token != null ? token.caller() : null;
    }
}
