package dev.quorate.router.message;

import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates a request by its head, before its body is read or its connection upgraded: a sealed
 * frame without requests, in base64. It is created for one request, bound to the recipient's life,
 * and numbered like every frame, so that a recorded pass is useless.
 */
public final class Pass {

    public static final String HEADER = "X-Quorate-Pass";

    private static final int MAX_CHARACTERS = 256;

    private Pass() {}

    /** Encodes a frame for the header. */
    public static String text(byte[] frame) {
        return Base64.getEncoder().encodeToString(frame);
    }

    /** Decodes the frame in a request's header; null if the header is missing or not base64. */
    public static byte @Nullable [] frame(@Nullable String text) {
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
