package dev.quorate.node.http.parse;

import org.jspecify.annotations.Nullable;

/**
 * The headers that determine where a request ends and whether the connection stays open. Everything
 * that can make two recipients disagree on that (RFC 9112, 6.3 and 11.2) is refused.
 */
final class FramingHeaders {

    private static final int MAX_LENGTH_DIGITS = 18;

    private FramingHeaders() {}

    /** Reads one header line; all positions are in {@code in}. Null if it is valid. */
    static @Nullable HttpFailure read(
            RequestHead head, byte[] in, int nameStart, int nameEnd, int start, int end) {
        head.special |= isSpecial(in[nameStart] | 0x20, nameEnd - nameStart);
        if (HttpSyntax.equalsIgnoreCase(in, nameStart, nameEnd, "host")) {
            return host(head, in, start, end);
        }
        if (HttpSyntax.equalsIgnoreCase(in, nameStart, nameEnd, "expect")) {
            return expect(head, in, start, end);
        }
        if (HttpSyntax.equalsIgnoreCase(in, nameStart, nameEnd, "content-length")) {
            return contentLength(head, in, start, end);
        }
        if (HttpSyntax.equalsIgnoreCase(in, nameStart, nameEnd, "transfer-encoding")) {
            return transferEncoding(head, in, start, end);
        }
        if (HttpSyntax.equalsIgnoreCase(in, nameStart, nameEnd, "connection")) {
            connection(head, in, start, end);
        }
        return null;
    }

    /** Decides by the first letter: If-, Range, X-, Origin, Sec-Fetch-; and two of Content-. */
    private static boolean isSpecial(int first, int length) {
        return switch (first) {
            case 'i', 'r', 'x', 'o', 's' -> true;
            case 'c' -> length == "content-encoding".length() || length == "content-range".length();
            default -> false;
        };
    }

    /** Checks the head as a whole. Null if it is valid. */
    static @Nullable HttpFailure check(RequestHead head) {
        if (!head.hasHost && !head.http10()) {
            return HttpFailure.malformed("A request of HTTP/1.1 needs a Host header.");
        }
        if (head.chunked && head.contentLength != RequestHead.NO_LENGTH) {
            return HttpFailure.malformed(
                    "Content-Length and Transfer-Encoding exclude each other.");
        }
        if (head.chunked && head.http10()) {
            return HttpFailure.malformed("HTTP/1.0 knows no Transfer-Encoding.");
        }
        if (head.http10()) {
            head.expectContinue = false;
            boolean sendsBody = head.method().equals("PUT") || head.method().equals("POST");
            if (sendsBody && head.contentLength == RequestHead.NO_LENGTH) {
                return new HttpFailure(411, "A body in HTTP/1.0 needs a Content-Length.");
            }
        }
        return null;
    }

    private static @Nullable HttpFailure host(RequestHead head, byte[] in, int start, int end) {
        if (head.hasHost) {
            return HttpFailure.malformed("There is more than one Host header.");
        }
        for (int i = start; i < end; i++) {
            if (!HttpSyntax.isHost(in[i])) {
                return HttpFailure.malformed("The Host header is not a host and a port.");
            }
        }
        head.hasHost = true;
        return null;
    }

    private static @Nullable HttpFailure expect(RequestHead head, byte[] in, int start, int end) {
        if (!HttpSyntax.equalsIgnoreCase(in, start, end, "100-continue")) {
            return new HttpFailure(417, "Only 100-continue can be expected.");
        }
        head.expectContinue = true;
        return null;
    }

    private static @Nullable HttpFailure contentLength(
            RequestHead head, byte[] in, int start, int end) {
        if (head.contentLength != RequestHead.NO_LENGTH) {
            return HttpFailure.malformed("There is more than one Content-Length.");
        }
        if (start == end || end - start > MAX_LENGTH_DIGITS) {
            return HttpFailure.malformed("Content-Length is not a number of bytes.");
        }
        long length = 0;
        for (int i = start; i < end; i++) {
            if (in[i] < '0' || in[i] > '9') {
                return HttpFailure.malformed("Content-Length is not a number of bytes.");
            }
            length = length * 10 + (in[i] - '0');
        }
        head.contentLength = length;
        return null;
    }

    private static @Nullable HttpFailure transferEncoding(
            RequestHead head, byte[] in, int start, int end) {
        if (head.chunked) {
            return HttpFailure.malformed("There is more than one Transfer-Encoding.");
        }
        if (HttpSyntax.equalsIgnoreCase(in, start, end, "chunked")) {
            head.chunked = true;
            return null;
        }
        int last = end;
        while (last > start && in[last - 1] != ',' && !HttpSyntax.isBlank(in[last - 1])) {
            last--;
        }
        return HttpSyntax.equalsIgnoreCase(in, last, end, "chunked")
                ? new HttpFailure(501, "The only Transfer-Encoding understood is chunked.")
                : HttpFailure.malformed("The last Transfer-Encoding must be chunked.");
    }

    private static void connection(RequestHead head, byte[] in, int start, int end) {
        int at = start;
        while (at < end) {
            int stop = at;
            while (stop < end && in[stop] != ',') {
                stop++;
            }
            int from = at;
            int to = stop;
            while (from < to && HttpSyntax.isBlank(in[from])) {
                from++;
            }
            while (to > from && HttpSyntax.isBlank(in[to - 1])) {
                to--;
            }
            if (HttpSyntax.equalsIgnoreCase(in, from, to, "close")) {
                head.close = true;
            } else if (HttpSyntax.equalsIgnoreCase(in, from, to, "keep-alive")) {
                head.keepAlive = true;
            } else if (HttpSyntax.equalsIgnoreCase(in, from, to, "upgrade")) {
                head.upgrade = true;
            }
            at = stop + 1;
        }
    }
}
