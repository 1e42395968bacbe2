package dev.quorate.node.api.request;

import dev.quorate.node.access.Authentication;
import dev.quorate.node.access.Authentication.Result;
import dev.quorate.node.access.Caller;
import dev.quorate.node.access.Role;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides from a request's head whether its sender may send it: 401 without a known token, 403 if
 * the token does not suffice. Access to keys is checked where the keys are parsed.
 */
public record Authorization(Authentication authentication) {

    /** Browsers ask their user for a name and a password; the token is the password. */
    private static final String BASIC =
            "WWW-Authenticate: Basic realm=\"quorate\", charset=\"UTF-8\"";

    /** Cached, because unauthenticated clients can request it at any rate. */
    private static final HttpResponse MISSING =
            Problem.of(
                            401,
                            "This needs a token: Authorization: Bearer TOKEN, or Basic with the"
                                    + " token as the password.")
                    .header("WWW-Authenticate: Bearer realm=\"quorate\"")
                    .header(BASIC)
                    .response();

    private static final HttpResponse WRONG =
            Problem.of(401, "The token is not known here.")
                    .header("WWW-Authenticate: Bearer realm=\"quorate\", error=\"invalid_token\"")
                    .header(BASIC)
                    .response();

    /**
     * The sender of a request; {@link Caller#ANYBODY} if no token is needed.
     *
     * @throws RequestRefusedException if a token is needed, and missing or unknown
     */
    public Caller identify(String method, String path, HttpHeaders headers)
            throws RequestRefusedException {
        if (!authentication.isRequired()) {
            return Caller.ANYBODY;
        }
        if (needed(method, path) == null) {
            return Caller.ANYBODY;
        }
        return switch (authentication.of(
                headers.first("authorization"), headers.isRepeated("authorization"))) {
            case Result.Missing() -> throw new RequestRefusedException(MISSING);
            case Result.Wrong() -> throw new RequestRefusedException(WRONG);
            case Result.Known(Caller caller) -> caller;
        };
    }

    /**
     * Whether the sender of an allowed request is still allowed to send it, for long answers:
     * tokens may be revoked meanwhile.
     */
    public BooleanSupplier standing(String method, String path, HttpHeaders headers) {
        String header = headers.first("authorization");
        boolean isRepeated = headers.isRepeated("authorization");
        Role needed = needed(method, path);
        return () ->
                needed == null
                        || (authentication.of(header, isRepeated)
                                        instanceof Result.Known(Caller caller)
                                && caller.role().includes(needed));
    }

    /** Unknown paths need a role too, so that unauthenticated clients cannot probe paths. */
    private static @Nullable Role needed(String method, String path) {
        Route route = Route.of(path);
        return route == null ? Role.READ : route.needs(method);
    }

    /** Refuses a request whose sender lacks the role for it. */
    public static void requireRole(Caller caller, String method, String path)
            throws RequestRefusedException {
        Role needed = needed(method, path);
        if (needed != null) {
            requireRole(caller, needed);
        }
    }

    public static void requireRole(Caller caller, Role needed) throws RequestRefusedException {
        if (!caller.role().includes(needed)) {
            String role = caller.role().text();
            throw new RequestRefusedException(
                    Problem.of(
                                    403,
                                    "The token '%s' has the role %s, and this needs %s. Nothing was attempted."
                                            .formatted(caller.name(), role, needed.text()))
                            .with("role", role)
                            .response());
        }
    }

    public static void requireKey(Caller caller, byte[] key) throws RequestRefusedException {
        if (!caller.mayUse(key)) {
            throw new RequestRefusedException(
                    403,
                    "The token '%s' is for keys with another prefix. Nothing was attempted."
                            .formatted(caller.name()));
        }
    }

    public static void requireRange(Caller caller, byte[] start, byte @Nullable [] end)
            throws RequestRefusedException {
        if (!caller.mayUse(start, end)) {
            throw new RequestRefusedException(
                    403,
                    "The token '%s' is for keys with a prefix, in which this range does not lie:"
                                    .formatted(caller.name())
                            + " give 'prefix', or 'start' and 'end'. Nothing was attempted.");
        }
    }
}
