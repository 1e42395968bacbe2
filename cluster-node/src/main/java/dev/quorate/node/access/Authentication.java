package dev.quorate.node.access;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Identifies the sender of a request by its header Authorization. */
public final class Authentication {

    /** A longer header is not decoded. */
    private static final int MAX_CHARACTERS = 512;

    private static final String BEARER = "bearer ";
    private static final String BASIC = "basic ";

    private final @Nullable Supplier<AccessTokens> tokens;

    /**
     * @param tokens supplies the current tokens; null allows every client everything
     */
    private Authentication(@Nullable Supplier<AccessTokens> tokens) {
        this.tokens = tokens;
    }

    /** Allows every client everything. */
    public static Authentication none() {
        return new Authentication(null);
    }

    /** Authenticates by tokens, which may change at any time. */
    public static Authentication by(Supplier<AccessTokens> tokens) {
        return new Authentication(tokens);
    }

    public sealed interface Result {

        record Known(Caller caller) implements Result {}

        /** No header, or another scheme: the client is asked for a token. */
        record Missing() implements Result {}

        /** An unknown or revoked token. */
        record Wrong() implements Result {}
    }

    private static final Result ANYBODY = new Result.Known(Caller.ANYBODY);
    private static final Result MISSING = new Result.Missing();
    private static final Result WRONG = new Result.Wrong();

    /** Whether a request needs a token. */
    public boolean isRequired() {
        return tokens != null;
    }

    /**
     * The sender of a request.
     *
     * @param authorization the header; null without one
     * @param isRepeated whether the header is repeated: a proxy may have checked another one
     */
    public Result of(@Nullable String authorization, boolean isRepeated) {
        if (tokens == null) {
            return ANYBODY;
        }
        if (authorization == null) {
            return MISSING;
        }
        if (isRepeated || authorization.length() > MAX_CHARACTERS) {
            return WRONG;
        }
        String scheme = authorization.toLowerCase(Locale.ROOT);
        String text;
        if (scheme.startsWith(BEARER)) {
            text = authorization.substring(BEARER.length()).strip();
        } else if (scheme.startsWith(BASIC)) {
            text = password(authorization.substring(BASIC.length()).strip());
        } else {
            return MISSING;
        }
        Caller caller = text == null ? null : tokens.get().caller(text);
        return caller == null ? WRONG : new Result.Known(caller);
    }

    /** The password of Basic (RFC 7617); the user name is ignored. */
    private static @Nullable String password(String encoded) {
        try {
            String pair =
                    new String(Base64.getDecoder().decode(encoded), StandardCharsets.ISO_8859_1);
            int colon = pair.indexOf(':');
            return colon < 0 ? null : pair.substring(colon + 1);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
