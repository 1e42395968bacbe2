package dev.quorate.node.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a connection of requests becomes one of messages: RFC 6455, section 4.2. */
final class Handshake {

    private static final String APPENDIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int KEY_BYTES = 16;

    /** What those are answered who ask for something else. */
    static final HttpResponse REQUIRED =
            Problem.of(426, "Only the handshake of a WebSocket (version 13) is taken here.")
                    .header("Upgrade: websocket")
                    .header("Sec-WebSocket-Version: 13")
                    .response();

    private Handshake() {}

    /** The headers of the answer 101; null if that is not what the client asks for. */
    static @Nullable List<String> answer(HttpRequest request) {
        HttpHeaders headers = request.headers();
        String key = headers.first("sec-websocket-key");
        boolean asks =
                request.method().equals("GET")
                        && request.body().length == 0
                        && "websocket".equalsIgnoreCase(headers.first("upgrade"))
                        && "13".equals(headers.first("sec-websocket-version"))
                        && key != null
                        && isKey(key);
        return asks
                ? List.of(
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        "Sec-WebSocket-Accept: " + accept(key))
                : null;
    }

    private static boolean isKey(String key) {
        try {
            return Base64.getDecoder().decode(key).length == KEY_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Shows that the handshake was understood; no secret is in it. */
    private static String accept(@Nullable String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            byte[] hash = sha1.digest((key + APPENDIX).getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
