package dev.quorate.node.api.request;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets pages of listed origins use the API from a browser (CORS, Fetch standard, 3.2). {@code
 * /admin} is closed to them.
 */
public final class CrossOrigin {

    private static final byte[] NOTHING = {};
    private static final String EXPOSED =
            "Access-Control-Expose-Headers: Accept-Ranges, Content-Range, ETag, X-Quorate-Version,"
                    + " X-Quorate-Expires, X-Quorate-Explain, X-Quorate-Replica, X-Quorate-Watch,"
                    + " Retry-After";

    private final Set<String> origins;

    /**
     * @param origins such as {@code https://app.example}; empty allows no page
     */
    public CrossOrigin(List<String> origins) {
        this.origins = Set.copyOf(origins);
    }

    /** The listed origin of a request; null if none. */
    public @Nullable String listed(String path, HttpHeaders headers) {
        if (origins.isEmpty() || path.startsWith("/admin")) {
            return null;
        }
        String origin = headers.first("origin");
        boolean isListed =
                origin != null && origins.contains(origin) && !headers.isRepeated("origin");
        return isListed ? origin : null;
    }

    /** The answer to a preflight of a listed origin; null for other requests. */
    public static @Nullable HttpResponse preflight(String method, HttpHeaders headers) {
        if (!method.equals("OPTIONS") || headers.first("access-control-request-method") == null) {
            return null;
        }
        return new HttpResponse(
                204,
                List.of(
                        "Access-Control-Allow-Methods: GET, HEAD, PUT, PATCH, POST, DELETE",
                        "Access-Control-Allow-Headers: Accept, Authorization, Content-Type, If-Match,"
                                + " If-None-Match, If-Range, Range, X-Quorate-Version",
                        "Access-Control-Max-Age: 600"),
                NOTHING);
    }

    /** The answer with the headers that show it to a page of this origin. */
    public static HttpResponse shown(HttpResponse response, String origin) {
        List<String> headers = new ArrayList<>();
        String vary = "Vary: Origin";
        for (String line : response.headers()) {
            if (line.startsWith("Vary: ")) {
                vary = line + ", Origin";
            } else {
                headers.add(line);
            }
        }
        headers.add(vary);
        headers.add("Access-Control-Allow-Origin: " + origin);
        headers.add(EXPOSED);
        return new HttpResponse(
                response.status(), headers, response.more(), response.body(), response.rest());
    }
}
