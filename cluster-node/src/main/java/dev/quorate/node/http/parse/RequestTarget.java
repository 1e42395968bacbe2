package dev.quorate.node.http.parse;

import java.nio.charset.StandardCharsets;

/**
 * The forms of a request's target (RFC 9112, 3.2): a path; {@code http://}, a host, and a path; and
 * an asterisk, with OPTIONS alone. The host of the second replaces the Host header.
 */
final class RequestTarget {

    private static final String SCHEME = "http://";

    private RequestTarget() {}

    /** The start of the path, which is the end if it is empty; -1 if the target is malformed. */
    static int pathOf(RequestHead head, byte[] in, int from, int to) {
        if (in[from] == '/') {
            return from;
        }
        if (in[from] == '*') {
            return to - from == 1 && head.method().equals("OPTIONS") ? from : -1;
        }
        int start = from + SCHEME.length();
        if (to <= start || !HttpSyntax.equalsIgnoreCase(in, from, start, SCHEME)) {
            return -1;
        }
        int end = start;
        while (end < to && in[end] != '/' && in[end] != '?') {
            if (!HttpSyntax.isHost(in[end])) {
                return -1;
            }
            end++;
        }
        if (end == start) {
            return -1;
        }
        head.setAuthority(new String(in, start, end - start, StandardCharsets.ISO_8859_1));
        return end;
    }
}
