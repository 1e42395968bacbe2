package dev.quorate.node.api.request;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Rules for headers that change the meaning of a request. A precondition is honoured, or the
 * request is refused before any work, unless RFC 9110 requires that it be ignored. The table is in
 * decision 0004.
 *
 * @param names the names of this node
 * @param scheme the scheme of the listener's URLs
 * @param needsTokens whether clients need tokens, which pages of other sites lack
 */
public record RequestRules(KnownHosts names, String scheme, boolean needsTokens) {

    private static final String ENTITY = "/v0/entity";

    /** Headers that override the method that proxies and logs see. */
    private static final List<String> OVERRIDES =
            List.of("x-http-method-override", "x-http-method", "x-method-override");

    /** If-Modified-Since applies only to reads, and is ignored elsewhere. */
    private static final List<String> DATES = List.of("if-unmodified-since");

    /** Where If-Match names an epoch. */
    private static final List<String> EPOCH_PATHS =
            List.of(Route.MEMBERS.path(), Route.JOIN.path());

    private static final List<String> ALL_BUT_MATCH =
            List.of("if-none-match", "if-unmodified-since");

    private static final List<String> CONDITIONS =
            List.of("if-match", "if-none-match", "if-unmodified-since");

    /**
     * The refusal of a request because of its headers; null if they are acceptable.
     *
     * @param isListedOrigin whether it comes from a page that may use the API
     */
    public @Nullable HttpResponse refusal(
            String method, String path, HttpHeaders headers, boolean isListedOrigin) {
        boolean isAdmin = path.startsWith("/admin/");
        boolean isGuarded = isAdmin || (!needsTokens && !path.equals("/livez"));
        if (isGuarded && !names.contains(headers.first("host"), isAdmin)) {
            return Problem.response(
                    421,
                    "This node is not known by the name in the Host header. Use its address, or"
                            + " list the name in known-hosts.");
        }
        if (!headers.mayChangeMeaning()) {
            return null;
        }
        for (String override : OVERRIDES) {
            if (headers.first(override) != null) {
                return Problem.response(
                        501, "The method is that of the request line; '" + override + "' is not.");
            }
        }
        if (headers.hasOther("x-quorate-", "x-quorate-version")) {
            return Problem.response(
                    400, "The only X-Quorate header of a request is X-Quorate-Version.");
        }
        boolean isRead = Route.isRead(method);
        if (!isRead && !isListedOrigin && isOfAnotherSite(headers, isAdmin)) {
            return Problem.response(
                    403, "Requests from pages of other sites are refused. Nothing was done.");
        }
        return isRead ? refusalOfRead(path, headers) : refusalOfWrite(method, path, headers);
    }

    /**
     * Whether a browser sent the request for a page of another site. A page under an unknown host
     * name does not belong to this node. A page cannot set {@code Sec-Fetch-Site} itself; behind a
     * proxy that terminates TLS, the page's origin has another scheme than this node.
     */
    private boolean isOfAnotherSite(HttpHeaders headers, boolean isAdmin) {
        String site = headers.first("sec-fetch-site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            return true;
        }
        String origin = headers.first("origin");
        if (origin == null) {
            return false;
        }
        String host = headers.first("host");
        if ("same-origin".equals(site) && !headers.isRepeated("sec-fetch-site")) {
            return host == null || !names.contains(host, isAdmin);
        }
        return host == null
                || headers.isRepeated("origin")
                || !withoutDefaultPort(origin)
                        .equalsIgnoreCase(withoutDefaultPort(scheme + "://" + host))
                || !names.contains(host, isAdmin);
    }

    /** Browsers omit the default port in Origin, but some clients include it in Host. */
    private String withoutDefaultPort(String origin) {
        String port = scheme.equals("https") ? ":443" : ":80";
        return origin.endsWith(port)
                ? origin.substring(0, origin.length() - port.length())
                : origin;
    }

    private static @Nullable HttpResponse refusalOfRead(String path, HttpHeaders headers) {
        if (headers.first("x-quorate-version") != null) {
            return Problem.response(400, "X-Quorate-Version is for writes.");
        }
        String match = headers.first("if-match");
        if (match != null && !match.equals("*") && !path.equals(ENTITY)) {
            return Problem.response(412, "Only entities have versions.");
        }
        return null;
    }

    private static @Nullable HttpResponse refusalOfWrite(
            String method, String path, HttpHeaders headers) {
        List<String> unknown =
                path.equals(ENTITY)
                        ? DATES
                        : EPOCH_PATHS.contains(path) ? ALL_BUT_MATCH : CONDITIONS;
        for (String condition : unknown) {
            if (headers.first(condition) != null) {
                return Problem.response(
                        501, "'" + condition + "' is not implemented here. Nothing was attempted.");
            }
        }
        if (headers.first("content-range") != null && method.equals("PUT")) {
            return Problem.response(
                    400,
                    "A part of a value cannot be written: Content-Range. Nothing was written.");
        }
        String coding = headers.first("content-encoding");
        boolean isCoded =
                coding != null
                        && (headers.isRepeated("content-encoding")
                                || !coding.toLowerCase(Locale.ROOT).equals("identity"));
        return isCoded
                ? Problem.of(
                                415,
                                "A value is kept as its bytes come, and no Content-Encoding with"
                                        + " it. Nothing was written.")
                        .header("Accept-Encoding: identity")
                        .response()
                : null;
    }

    public static void requireServing(BooleanSupplier draining) throws RequestRefusedException {
        if (draining.getAsBoolean()) {
            throw new RequestRefusedException(
                    Problem.busy("The node stops, or was removed. Nothing was attempted.")
                            .response());
        }
    }
}
