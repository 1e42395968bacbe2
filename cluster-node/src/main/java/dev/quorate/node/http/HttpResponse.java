package dev.quorate.node.http;

import java.util.List;

/**
 * One answer.
 *
 * @param status 200 to 599
 * @param headers whole header lines without line ends, such as {@code ETag: "x"}; the connection
 *     adds {@code Content-Length} and {@code Connection}
 * @param body the body; not sent to a HEAD, which still gets its length
 */
public record HttpResponse(int status, List<String> headers, byte[] body) {
    public HttpResponse {
        headers = List.copyOf(headers);
    }
}
