package dev.quorate.node.console;

import dev.quorate.node.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * The page: one piece of HTML with its style and its script, made once. A browser runs nothing but
 * these two, whose hashes the Content-Security-Policy names, and connects to this node alone.
 */
final class ConsolePage {

    private ConsolePage() {}

    /** Made when it is first asked for. */
    private static final class Made {
        static final HttpResponse PAGE = make();
    }

    static HttpResponse page() {
        return Made.PAGE;
    }

    private static HttpResponse make() {
        String style = resource("console.css");
        String script = resource("console.js");
        String html =
                resource("console.html").replace("@style@", style).replace("@script@", script);
        String policy =
                "Content-Security-Policy: default-src 'none'; script-src "
                        + source(script)
                        + "; style-src "
                        + source(style)
                        + "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
                        + " frame-ancestors 'none'";
        return new HttpResponse(
                200,
                List.of(
                        "Content-Type: text/html; charset=utf-8",
                        policy,
                        "X-Content-Type-Options: nosniff",
                        "Vary: Accept, Accept-Encoding",
                        "Cache-Control: no-cache"),
                html.getBytes(StandardCharsets.UTF_8));
    }

    /** What may run or style: exactly this text. */
    private static String source(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] hash = digest.digest(text.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(hash) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Every Java has it.
        }
    }

    private static String resource(String name) {
        try (InputStream in = ConsolePage.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the build has not copied " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
