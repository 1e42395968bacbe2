package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.parse.RequestHead;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The WebSocket handshake of a server: RFC 6455, section 4.2. */
final class Handshake {

    private static final String APPENDIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int KEY_BYTES = 16;
    private static final int KEY_CHARACTERS = 24;

    /** The answer to a request for another protocol. */
    static final HttpResponse REQUIRED =
            Problem.of(426, "Only the handshake of a WebSocket (version 13) is taken here.")
                    .header("Upgrade: websocket")
                    .header("Sec-WebSocket-Version: 13")
                    .response();

    private Handshake() {}

    static final HttpResponse MALFORMED =
            Problem.response(400, "The handshake needs one Sec-WebSocket-Key of 16 bytes.");

    /** Whether the client asks for a WebSocket of the supported version. */
    static boolean isAskedFor(HttpRequest request, RequestHead head) {
        HttpHeaders headers = request.headers();
        return request.method().equals("GET")
                && !head.http10()
                && head.asksForUpgrade()
                && "websocket".equalsIgnoreCase(headers.first("upgrade"))
                && !headers.isRepeated("upgrade")
                && "13".equals(headers.first("sec-websocket-version"))
                && !headers.isRepeated("sec-websocket-version");
    }

    /** The headers of the answer 101; null if the handshake is malformed. */
    static @Nullable List<String> answer(HttpRequest request) {
        HttpHeaders headers = request.headers();
        String key = headers.first("sec-websocket-key");
        boolean isWellFormed =
                request.body().length == 0
                        && key != null
                        && isKey(key)
                        && !headers.isRepeated("sec-websocket-key");
        return isWellFormed
                ? List.of(
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        "Sec-WebSocket-Accept: " + accept(key))
                : null;
    }

    private static boolean isKey(String key) {
        if (key.length() != KEY_CHARACTERS) {
            return false;
        }
        try {
            return Base64.getDecoder().decode(key).length == KEY_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The proof that the server understood the handshake; it contains no secret. */
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
