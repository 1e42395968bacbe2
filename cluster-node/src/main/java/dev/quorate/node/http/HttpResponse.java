package dev.quorate.node.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * An answer.
 *
 * @param status 200 to 599
 * @param headers whole header lines without line ends, such as {@code ETag: "x"}, of visible ASCII
 *     and blanks; the connection adds {@code Content-Length} and {@code Connection}
 * @param more further header lines, after these
 * @param body the body, or its first part; not sent for a HEAD, whose answer has its length
 * @param rest the further parts of the body, each of them non-empty; usually there are none
 */
public record HttpResponse(
        int status, List<String> headers, HeaderLines more, byte[] body, List<byte[]> rest) {
    public HttpResponse {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException("status " + status);
        }
        headers = List.copyOf(headers);
        for (int i = 0; i < headers.size(); i++) {
            requireVisible(headers.get(i));
        }
    }

    public HttpResponse(int status, List<String> headers, HeaderLines more, byte[] body) {
        this(status, headers, more, body, List.of());
    }

    public HttpResponse(int status, List<String> headers, byte[] body) {
        this(status, headers, HeaderLines.NONE, body);
    }

    /** An answer whose body is a text in UTF-8. */
    public HttpResponse(int status, List<String> headers, String body) {
        this(status, headers, body.getBytes(StandardCharsets.UTF_8));
    }

    public HttpResponse(int status, HeaderLines lines, byte[] body) {
        this(status, List.of(), lines, body);
    }

    /** An answer in plain text. */
    public static HttpResponse text(int status, String text) {
        return new HttpResponse(status, List.of("Content-Type: text/plain; charset=utf-8"), text);
    }

    /** An answer whose body consists of these parts: a large one need not be copied. */
    public static HttpResponse ofParts(int status, List<String> headers, List<byte[]> parts) {
        return new HttpResponse(
                status,
                headers,
                HeaderLines.NONE,
                parts.getFirst(),
                List.copyOf(parts.subList(1, parts.size())));
    }

    /** All parts of the body in one array, for callers that do not send the parts. */
    public byte[] joinedBody() {
        if (rest.isEmpty()) {
            return body;
        }
        ByteBuffer whole = ByteBuffer.allocate(bodyBytes()).put(body);
        rest.forEach(whole::put);
        return whole.array();
    }

    /** The length of the whole body. */
    public int bodyBytes() {
        int bytes = body.length;
        for (int i = 0; i < rest.size(); i++) {
            bytes = Math.addExact(bytes, rest.get(i).length);
        }
        return bytes;
    }

    /** The same answer with further header lines. */
    public HttpResponse with(HeaderLines lines) {
        return lines == more ? this : new HttpResponse(status, headers, lines, body, rest);
    }

    /** A line end in a header would begin another header, or another answer. */
    private static void requireVisible(String line) {
        for (int i = 0; i < line.length(); i++) {
            if (line.charAt(i) < ' ' || line.charAt(i) > '~') {
                throw new IllegalArgumentException("a header that would break the answer");
            }
        }
    }
}
