package dev.quorate.node.api;

import dev.quorate.node.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/** The description of this API (OpenAPI 3.1): {@code docs/openapi.json}, as it was built. */
final class OpenApiPage {

    private static final String RESOURCE = "openapi.json";

    private OpenApiPage() {}

    /** Read once, when it is first asked for. */
    private static final class Loaded {
        static final HttpResponse PAGE =
                new HttpResponse(
                        200,
                        List.of("Content-Type: application/json", "Cache-Control: no-cache"),
                        bytes());
    }

    static HttpResponse page() {
        return Loaded.PAGE;
    }

    private static byte[] bytes() {
        try (InputStream in = OpenApiPage.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("the build has not copied " + RESOURCE);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
