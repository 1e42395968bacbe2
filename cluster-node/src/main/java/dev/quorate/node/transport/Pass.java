package dev.quorate.node.transport;

import dev.quorate.node.http.HttpHeaders;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * What proves in the head of a request that a member of this cluster sends it, before anything is
 * taken of its body, or its connection becomes one of messages: a sealed frame of requests that has
 * none, in base64. It is made for one request, bound to the recipient's life, and numbered as every
 * frame is, so that a recorded one is worth nothing.
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

    /** The frame in a request's head; null if there is none, or it cannot be one. */
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
