package dev.quorate.node.api;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Rules for headers that change what a request means. No precondition is ignored silently: it is
 * honoured, or the request is refused before any work. What RFC 9110 says is to be ignored is
 * ignored. The table is in decision 0004.
 */
final class RequestRules {

    private static final String ENTITY = "/v0/entity";

    /** They request another method than the one that proxies and logs see. */
    private static final List<String> OVERRIDES =
            List.of("x-http-method-override", "x-http-method", "x-method-override");

    /** If-Modified-Since is for reads alone, and ignored elsewhere. */
    private static final List<String> DATES = List.of("if-unmodified-since");

    private static final List<String> CONDITIONS =
            List.of("if-match", "if-none-match", "if-unmodified-since");

    private RequestRules() {}

    /**
     * The refusal of a request because of its headers; null if they are acceptable.
     *
     * @param isListedOrigin whether it comes from a page that may use the API
     * @param isKnownHost whether a Host header names this node
     */
    static @Nullable HttpResponse refusal(
            String method,
            String path,
            HttpHeaders headers,
            boolean isListedOrigin,
            Predicate<@Nullable String> isKnownHost) {
        if (path.startsWith("/admin/") && !isKnownHost.test(headers.first("host"))) {
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
        boolean isRead = method.equals("GET") || method.equals("HEAD");
        if (!isRead && !isListedOrigin && isOfAnotherSite(headers, isKnownHost)) {
            return Problem.response(
                    403, "Requests from pages of other sites are refused. Nothing was done.");
        }
        return isRead ? refusalOfRead(path, headers) : refusalOfWrite(method, path, headers);
    }

    /**
     * Whether a browser sends it for a page of another site. The host name counts too: a page under
     * an unknown name is not this node's.
     */
    private static boolean isOfAnotherSite(
            HttpHeaders headers, Predicate<@Nullable String> isKnownHost) {
        String site = headers.first("sec-fetch-site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            return true;
        }
        String origin = headers.first("origin");
        if (origin == null) {
            return false;
        }
        String host = headers.first("host");
        return host == null
                || headers.isRepeated("origin")
                || !origin.equalsIgnoreCase("http://" + host)
                || !isKnownHost.test(host);
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
        boolean isEntity = path.equals(ENTITY);
        for (String condition : isEntity ? DATES : CONDITIONS) {
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

    /**
     * Requires GET or HEAD.
     *
     * @param allowed all methods of the path
     */
    static void requireRead(HttpRequest request, String allowed) throws RefusedException {
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            throw methodNotAllowed(allowed);
        }
    }

    static RefusedException methodNotAllowed(String allowed) {
        return new RefusedException(
                Problem.of(405, "The methods here are " + allowed + ".")
                        .header("Allow: " + allowed)
                        .response());
    }

    static void requireServing(BooleanSupplier draining) throws RefusedException {
        if (draining.getAsBoolean()) {
            throw new RefusedException(
                    Problem.of(503, "The node is stopping. Nothing was attempted.")
                            .header("Retry-After: 1")
                            .response());
        }
    }
}
