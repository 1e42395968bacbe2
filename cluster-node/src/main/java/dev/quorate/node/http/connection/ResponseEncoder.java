package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.HttpStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Encodes the heads of answers, and small answers completely. */
final class ResponseEncoder {

    /** A body up to this size is copied after its head and sent with it. */
    static final int JOINED_BODY_BYTES = 16 * 1024;

    private static final byte[] LENGTH = ascii("\r\nContent-Length: ");
    private static final byte[] CHUNKED = ascii("\r\nTransfer-Encoding: chunked");
    private static final byte[] CLOSE = ascii("\r\nConnection: close");
    private static final byte[] KEEP_ALIVE = ascii("\r\nConnection: keep-alive");
    private static final byte[] NO_STORE = ascii("\r\nCache-Control: no-store");
    private static final byte[] END = ascii("\r\n\r\n");

    private static final byte[][] STATUS_LINES = new byte[600][];

    static {
        for (int status = 100; status < STATUS_LINES.length; status++) {
            STATUS_LINES[status] = ascii("HTTP/1.1 " + status + " " + HttpStatus.reason(status));
        }
    }

    /** How an answer's body is framed. */
    enum Framing {
        LENGTH,
        CHUNKED,
        UNTIL_CLOSE
    }

    /** The answer's statement about the connection. */
    enum Persistence {
        /** It stays open, which is the default of HTTP/1.1. */
        STAYS,
        /** It stays open, stated for a client of HTTP/1.0. */
        STAYS_SAID,
        CLOSES
    }

    private ResponseEncoder() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Encodes the head, and the body if it is sent and {@linkplain #joins small}. An answer without
     * Cache-Control must not be stored: a cache in between would serve it when it is outdated.
     *
     * @param sendsBody whether a body follows; false for a HEAD
     */
    static byte[] encode(
            HttpResponse response, Framing wanted, Persistence persistence, boolean sendsBody) {
        byte[] body = response.body();
        boolean joins = sendsBody && wanted == Framing.LENGTH && joins(response);
        Framing framing = framing(response, wanted);
        byte[] statusLine = STATUS_LINES[response.status()];
        byte[] out = new byte[size(response, framing, persistence, joins)];
        int at = put(out, 0, statusLine);
        at =
                switch (framing) {
                    case LENGTH -> putNumber(out, put(out, at, LENGTH), response.bodyBytes());
                    case CHUNKED -> put(out, at, CHUNKED);
                    case UNTIL_CLOSE -> at;
                };
        List<String> headers = response.headers();
        for (int i = 0; i < headers.size(); i++) {
            at = putLine(out, at, headers.get(i));
        }
        if (!saysCaching(headers)) {
            at = put(out, at, NO_STORE);
        }
        at = response.more().copyTo(out, at);
        at =
                switch (persistence) {
                    case STAYS -> at;
                    case STAYS_SAID -> put(out, at, KEEP_ALIVE);
                    case CLOSES -> put(out, at, CLOSE);
                };
        at = put(out, at, END);
        if (joins) {
            put(out, at, body);
        }
        return out;
    }

    /** Whether the body is sent with the head; otherwise its parts must be sent next. */
    static boolean joins(HttpResponse response) {
        return response.rest().isEmpty() && response.body().length <= JOINED_BODY_BYTES;
    }

    /** 204 and 304 have neither a body nor its length. */
    private static Framing framing(HttpResponse response, Framing wanted) {
        boolean hasBody = response.status() != 204 && response.status() != 304;
        return hasBody ? wanted : Framing.UNTIL_CLOSE;
    }

    private static int size(
            HttpResponse response, Framing framing, Persistence persistence, boolean joins) {
        int size = STATUS_LINES[response.status()].length + END.length;
        size +=
                switch (framing) {
                    case LENGTH -> LENGTH.length + digits(response.bodyBytes());
                    case CHUNKED -> CHUNKED.length;
                    case UNTIL_CLOSE -> 0;
                };
        List<String> headers = response.headers();
        for (int i = 0; i < headers.size(); i++) {
            size += 2 + headers.get(i).length();
        }
        size += response.more().length() + (saysCaching(headers) ? 0 : NO_STORE.length);
        size +=
                switch (persistence) {
                    case STAYS -> 0;
                    case STAYS_SAID -> KEEP_ALIVE.length;
                    case CLOSES -> CLOSE.length;
                };
        return joins ? size + response.body().length : size;
    }

    private static boolean saysCaching(List<String> headers) {
        for (int i = 0; i < headers.size(); i++) {
            if (headers.get(i).startsWith("Cache-Control:")) {
                return true;
            }
        }
        return false;
    }

    private static int put(byte[] out, int at, byte[] bytes) {
        System.arraycopy(bytes, 0, out, at, bytes.length);
        return at + bytes.length;
    }

    private static int putLine(byte[] out, int from, String line) {
        int at = from;
        out[at++] = '\r';
        out[at++] = '\n';
        for (int i = 0; i < line.length(); i++) {
            out[at++] = (byte) line.charAt(i);
        }
        return at;
    }

    private static int digits(int number) {
        int digits = 1;
        for (int rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        return digits;
    }

    private static int putNumber(byte[] out, int at, int number) {
        int end = at + digits(number);
        int rest = number;
        for (int i = end - 1; i >= at; i--) {
            out[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return end;
    }
}
