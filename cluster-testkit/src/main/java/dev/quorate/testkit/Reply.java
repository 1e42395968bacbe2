package dev.quorate.testkit;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An answer to a client.
 *
 * @param status of HTTP, such as 201
 * @param body the value, or a problem document (JSON)
 * @param version of the entry; null if the answer has none
 */
public record Reply(int status, byte[] body, @Nullable String version) {

    /** The body as UTF-8. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** One line, such as {@code 200 hello, version 19…}. */
    @Override
    public String toString() {
        return status + " " + text() + (version == null ? "" : ", version " + version);
    }
}
