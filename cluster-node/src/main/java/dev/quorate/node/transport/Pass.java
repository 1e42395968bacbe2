package dev.quorate.node.transport;

import dev.quorate.node.http.HttpHeaders;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates a request by its head, before its body is read or its connection upgraded: a sealed
 * frame without requests, in base64. It is created for one request, bound to the recipient's life,
 * and numbered like every frame, so that a recorded one is useless.
 */
final class Pass {

    /** The name of its header. */
    static final String HEADER = "X-Quorate-Pass";

    private static final String LOWER_CASE_HEADER = "x-quorate-pass";
    private static final int MAX_CHARACTERS = 256;

    private Pass() {}

    static String text(byte[] frame) {
        return Base64.getEncoder().encodeToString(frame);
    }

    /** The frame in a request's head; null if there is none, or it is no base64. */
    static byte @Nullable [] of(HttpHeaders headers) {
        String text = headers.first(LOWER_CASE_HEADER);
        if (text == null || text.length() > MAX_CHARACTERS) {
            return null;
        }
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
