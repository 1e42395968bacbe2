package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The head of a node's answer, and the stream of its body, which throws if the body breaks off.
 *
 * @param headers by their names in small letters
 */
public record Answer(int status, String statusLine, Map<String, String> headers, InputStream body) {

    private static final String VERSION = "x-quorate-version";
    private static final int MAX_TEXT_BYTES = 65_536;

    public Answer {
        headers = Map.copyOf(headers);
    }

    public @Nullable String version() {
        return headers.get(VERSION);
    }

    /** What the node says about an error; at least its status line. */
    public String problem() {
        String text = text();
        return text.isEmpty() ? statusLine : statusLine + ": " + text;
    }

    /** A short body; empty if it breaks off. */
    public String text() {
        try {
            return new String(body.readNBytes(MAX_TEXT_BYTES), UTF_8).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
