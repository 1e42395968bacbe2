package dev.quorate.node.http.parse;

import java.util.ArrayList;
import java.util.List;

/**
 * Requests that other servers have taken, each in a way of its own, and what this one answers. In
 * the inputs {@code |} is a line end.
 */
public final class MalformedRequests {

    private static final String PUT = "PUT /victim HTTP/1.1|Host: x|";
    private static final String CHUNKED = PUT + "Transfer-Encoding: chunked||";

    /** What a client sends, and the status it is answered with. */
    public record Row(String what, String input, int status) {
        @Override
        public String toString() {
            return what;
        }
    }

    private final List<Row> rows = new ArrayList<>();

    private MalformedRequests() {}

    public static List<Row> all() {
        MalformedRequests requests = new MalformedRequests();
        requests.lines();
        requests.versions();
        requests.headers();
        requests.lengths();
        requests.codings();
        requests.chunks();
        return requests.rows;
    }

    private void add(String what, int status, String input) {
        rows.add(new Row(what, input, status));
    }

    private void lines() {
        add("no method", 400, " / HTTP/1.1|Host: x||");
        add("two empty lines first", 400, "||GET / HTTP/1.1|Host: x||");
        add("a bare line feed first", 400, "\nGET / HTTP/1.1|Host: x||");
        add("a carriage return alone first", 400, "\rGET / HTTP/1.1|Host: x||");
        add("a method that is no token", 400, "G@T / HTTP/1.1|Host: x||");
        add("a method in brackets", 400, "(GET) / HTTP/1.1|Host: x||");
        add("a NUL in the method", 400, "G\0T / HTTP/1.1|Host: x||");
        add("a tab behind the method", 400, "GET\t/ HTTP/1.1|Host: x||");
        add("a method without end", 400, "G".repeat(100));
        add("a TLS hello", 400, "\u0016\u0003\u0001\u0002\u0000\u0001");
        add("HTTP/2 without asking", 400, "PRI * HTTP/2.0||SM||");
        add("a target of another scheme", 400, "GET https://x/v0/status HTTP/1.1|Host: x||");
        add("a target that is a URL without host", 400, "GET http:///v0 HTTP/1.1|Host: x||");
        add("a target that is half a URL", 400, "GET http:/x/v0 HTTP/1.1|Host: x||");
        add("a target with a user", 400, "GET http://me@x/v0/status HTTP/1.1|Host: x||");
        add("a target of a path that begins with h", 400, "GET h HTTP/1.1|Host: x||");
        add("a target without slash", 400, "GET v0/status HTTP/1.1|Host: x||");
        add("a target that is a star", 400, "GET * HTTP/1.1|Host: x||");
        add("a target that is more than a star", 400, "OPTIONS *a HTTP/1.1|Host: x||");
        add("a target that is a host", 400, "CONNECT x:80 HTTP/1.1|Host: x||");
        add("no target", 400, "GET  HTTP/1.1|Host: x||");
        add("two blanks before the target", 400, "GET  / HTTP/1.1|Host: x||");
        add("two blanks behind the target", 400, "GET /  HTTP/1.1|Host: x||");
        add("a blank in the target", 400, "GET /a b HTTP/1.1|Host: x||");
        add("a tab in the target", 400, "GET /a\tb HTTP/1.1|Host: x||");
        add("a NUL in the target", 400, "GET /a\0b HTTP/1.1|Host: x||");
        add("a DEL in the target", 400, "GET /a\u007fb HTTP/1.1|Host: x||");
        add("bytes of UTF-8 in the target", 400, "GET /\u00c3\u00a9 HTTP/1.1|Host: x||");
        add("a fragment", 400, "GET /a#b HTTP/1.1|Host: x||");
        add("a target without end", 414, "GET /" + "a".repeat(9000));
        add("a bare line feed behind the line", 400, "GET / HTTP/1.1\nHost: x||");
        add("only bare line feeds", 400, "GET / HTTP/1.1\nHost: x\n\n");
        add("a carriage return alone behind the line", 400, "GET / HTTP/1.1\rHost: x||");
    }

    private void versions() {
        add("HTTP/0.9", 400, "GET /|");
        add("HTTP/0.9 with a blank", 400, "GET / |");
        add("HTTP/1.2", 505, "GET / HTTP/1.2|Host: x||");
        add("HTTP/2.0", 505, "GET / HTTP/2.0|Host: x||");
        add("HTTP/9.1", 505, "GET / HTTP/9.1|Host: x||");
        add("HTTP/0.1", 505, "GET / HTTP/0.1|Host: x||");
        add("a version of three digits", 400, "GET / HTTP/1.10|Host: x||");
        add("a version of two first digits", 400, "GET / HTTP/11.1|Host: x||");
        add("a version without dot", 400, "GET / HTTP/11|Host: x||");
        add("a version with a comma", 400, "GET / HTTP/1,1|Host: x||");
        add("a version with a letter", 400, "GET / HTTP/1.x|Host: x||");
        add("a lower-case protocol", 400, "GET / http/1.1|Host: x||");
        add("another protocol", 400, "GET / RTSP/1.0|Host: x||");
        add("a blank behind the version", 400, "GET / HTTP/1.1 |Host: x||");
    }

    private void headers() {
        add("no Host", 400, "GET / HTTP/1.1||");
        add("two Hosts", 400, "GET / HTTP/1.1|Host: x|Host: x||");
        add("two Hosts in an old request", 400, "GET / HTTP/1.0|Host: x|host: y||");
        add("a Host with a path", 400, "GET / HTTP/1.1|Host: x/y||");
        add("a Host with a blank", 400, "GET / HTTP/1.1|Host: x y||");
        add("a Host with a user", 400, "GET / HTTP/1.1|Host: u@x||");
        add("a folded header", 400, "GET / HTTP/1.1|Host: x|A: b| c||");
        add("a header folded with a tab", 400, "GET / HTTP/1.1|Host: x|A: b|\tc||");
        add("a blank before the first header", 400, "GET / HTTP/1.1| Host: x||");
        add("a blank before the colon", 400, "GET / HTTP/1.1|Host : x||");
        add("a tab before the colon", 400, "GET / HTTP/1.1|Host\t: x||");
        add("a header without colon", 400, "GET / HTTP/1.1|Host: x|Nothing||");
        add("a header without name", 400, "GET / HTTP/1.1|Host: x|: a||");
        add("a name that is no token", 400, "GET / HTTP/1.1|Host: x|A(b): c||");
        add("a name with bytes of UTF-8", 400, "GET / HTTP/1.1|Host: x|\u00c3\u00a9: c||");
        add("a NUL in a name", 400, "GET / HTTP/1.1|Host: x|A\0: b||");
        add("a NUL in a value", 400, "GET / HTTP/1.1|Host: x|A: b\0c||");
        add("a control in a value", 400, "GET / HTTP/1.1|Host: x|A: b\u0001c||");
        add("a DEL in a value", 400, "GET / HTTP/1.1|Host: x|A: b\u007fc||");
        add("a bare line feed in a value", 400, "GET / HTTP/1.1|Host: x|A: b\nC: d||");
        add("a bare carriage return in a value", 400, "GET / HTTP/1.1|Host: x|A: b\rC: d||");
        add("a bare line feed as the empty line", 400, "GET / HTTP/1.1|Host: x|\n");
        add("a carriage return alone at the end", 400, "GET / HTTP/1.1|Host: x|\rX");
        add("65 headers", 431, "GET / HTTP/1.1|Host: x|" + "a: b|".repeat(64) + "|");
        add("a million headers", 431, "GET / HTTP/1.1|Host: x|" + "a:|".repeat(10_000));
        add("20 KB of headers", 431, "GET / HTTP/1.1|Host: x|a: " + "b".repeat(20_000) + "||");
        add("another expectation", 417, PUT + "Expect: 200-ok|Content-Length: 1||a");
        add("an empty expectation", 417, PUT + "Expect:|Content-Length: 1||a");
    }

    private void lengths() {
        add("two equal lengths", 400, PUT + "Content-Length: 1|Content-Length: 1||a");
        add("two different lengths", 400, PUT + "Content-Length: 1|content-length: 2||ab");
        add("a list of lengths", 400, PUT + "Content-Length: 1, 1||a");
        add("a negative length", 400, PUT + "Content-Length: -1||a");
        add("a length with a plus", 400, PUT + "Content-Length: +1||a");
        add("a length in hexadecimal", 400, PUT + "Content-Length: 0x1||a");
        add("a length with a fraction", 400, PUT + "Content-Length: 1.0||a");
        add("a length with a blank", 400, PUT + "Content-Length: 1 0||a");
        add("a length with an underscore", 400, PUT + "Content-Length: 1_0||a");
        add("an empty length", 400, PUT + "Content-Length:||a");
        add("a length in quotes", 400, PUT + "Content-Length: \"1\"||a");
        add("a length in Arabic digits", 400, PUT + "Content-Length: \u00d9\u00a1||a");
        add("a length of 2^63", 400, PUT + "Content-Length: 9223372036854775808||a");
        add("a length of 2^64", 400, PUT + "Content-Length: 18446744073709551616||a");
        add("a length of 2^31", 413, PUT + "Content-Length: 2147483648||a");
        add("a length of 2^32 and one", 413, PUT + "Content-Length: 4294967297||a");
        add("a length beyond the limit", 413, PUT + "Content-Length: 16777217||a");
        add("an old PUT without length", 411, "PUT /victim HTTP/1.0||a");
    }

    private void codings() {
        String te = "Transfer-Encoding: ";
        String cl = "Content-Length: 3|";
        add("a length, then a coding", 400, PUT + cl + te + "chunked||0||");
        add("a coding, then a length", 400, PUT + te + "chunked|" + cl + "|0||");
        add("two codings in two headers", 400, PUT + te + "chunked|" + te + "chunked||0||");
        add("chunked twice", 501, PUT + te + "chunked, chunked||0||");
        add("gzip, chunked", 501, PUT + te + "gzip, chunked||0||");
        add("chunked, gzip", 400, PUT + te + "chunked, gzip||0||");
        add("gzip alone", 400, PUT + te + "gzip||0||");
        add("identity", 400, PUT + te + "identity||0||");
        add("an empty coding", 400, PUT + te + "||0||");
        add("xchunked", 400, PUT + te + "xchunked||0||");
        add("chunked with a comma", 400, PUT + te + "chunked,||0||");
        add("chunked with a parameter", 400, PUT + te + "chunked;q=1||0||");
        add("chunked in quotes", 400, PUT + te + "\"chunked\"||0||");
        add("chunked behind a control", 400, PUT + te + "\u000bchunked||0||");
        add("chunked in a folded header", 400, PUT + "Transfer-Encoding:| chunked||0||");
        add("a blank before the coding's colon", 400, PUT + "Transfer-Encoding : chunked||0||");
        add(
                "chunked in an old request",
                400,
                "PUT /victim HTTP/1.0|Transfer-Encoding: chunked||0||");
    }

    private void chunks() {
        add("a chunk without size", 400, CHUNKED + "|abc|0||");
        add("a chunk size with a minus", 400, CHUNKED + "-1|abc|0||");
        add("a chunk size with a plus", 400, CHUNKED + "+3|abc|0||");
        add("a chunk size with 0x", 400, CHUNKED + "0x3|abc|0||");
        add("a chunk size with a blank first", 400, CHUNKED + " 3|abc|0||");
        add("a chunk size in two parts", 400, CHUNKED + "3 3|abc|0||");
        add("a chunk size with blanks without end", 400, CHUNKED + "3" + " ".repeat(5000));
        add("a chunk size with a blank behind", 400, CHUNKED + "3 |abc|0||");
        add("a chunk size with an underscore", 400, CHUNKED + "1_0|abc|0||");
        add("a chunk size that is no number", 400, CHUNKED + "xyz|abc|0||");
        add("a chunk size of 17 digits", 400, CHUNKED + "00000000000000003|abc|0||");
        add("a chunk size of 2^64 - 1", 413, CHUNKED + "ffffffffffffffff|abc|0||");
        add("a chunk size beyond the limit", 413, CHUNKED + "1000001|abc|0||");
        add("a chunk longer than its size", 400, CHUNKED + "2|abc|0||");
        add("a chunk shorter than its size", 400, CHUNKED + "4|abc|0||");
        add("a bare line feed behind the size", 400, CHUNKED + "3\nabc|0||");
        add("a bare line feed behind the chunk", 400, CHUNKED + "3|abc\n0||");
        add("a bare line feed in an extension", 400, CHUNKED + "3;a\nb|abc|0||");
        add("a NUL in an extension", 400, CHUNKED + "3;a\0b|abc|0||");
        add("an endless extension", 400, CHUNKED + "3;" + "a".repeat(5000));
        add("a trailer without colon", 400, CHUNKED + "0|trailer||");
        add("a folded trailer", 400, CHUNKED + "0|A: b| c||");
        add("a trailer with a blank before its colon", 400, CHUNKED + "0|A : b||");
        add("a bare line feed in a trailer", 400, CHUNKED + "0|A: b\nC: d||");
        add("a bare line feed at the end", 400, CHUNKED + "0|\n");
        add("endless trailers", 400, CHUNKED + "0|" + "a: b|".repeat(2000));
    }
}
