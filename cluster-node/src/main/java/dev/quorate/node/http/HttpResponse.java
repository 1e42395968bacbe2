package dev.quorate.node.http;

import java.util.List;

/**
 * An answer.
 *
 * @param status 200 to 599
 * @param headers whole header lines without line ends, such as {@code ETag: "x"}, of visible ASCII
 *     and blanks; the connection adds {@code Content-Length} and {@code Connection}
 * @param more further header lines, after these
 * @param body the body; not sent to a HEAD, whose answer has its length
 */
public record HttpResponse(int status, List<String> headers, HeaderLines more, byte[] body) {
    public HttpResponse {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException("status " + status);
        }
        headers = List.copyOf(headers);
        for (int i = 0; i < headers.size(); i++) {
            requireVisible(headers.get(i));
        }
    }

    public HttpResponse(int status, List<String> headers, byte[] body) {
        this(status, headers, HeaderLines.NONE, body);
    }

    public HttpResponse(int status, HeaderLines lines, byte[] body) {
        this(status, List.of(), lines, body);
    }

    /** The same answer with further header lines. */
    public HttpResponse with(HeaderLines lines) {
        return lines == more ? this : new HttpResponse(status, headers, lines, body);
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
