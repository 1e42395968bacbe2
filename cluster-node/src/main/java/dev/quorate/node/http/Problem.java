package dev.quorate.node.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds an error answer: {@code application/problem+json} as RFC 9457 has it, with {@code type}
 * about:blank, so that {@code title} is the status's name.
 */
public final class Problem {

    private static final String CONTENT_TYPE = "Content-Type: application/problem+json";

    private final int status;
    private final List<String> headers = new ArrayList<>(3);
    private final StringBuilder json = new StringBuilder(160);

    private Problem(int status, String detail) {
        this.status = status;
        headers.add(CONTENT_TYPE);
        json.append("{\"type\":\"about:blank\",\"title\":");
        appendQuoted(json, HttpStatus.reason(status));
        json.append(",\"status\":").append(status).append(",\"detail\":");
        appendQuoted(json, detail);
    }

    /**
     * Begins one.
     *
     * @param status 400 to 599
     * @param detail what went wrong this time, one or two sentences
     */
    public static Problem of(int status, String detail) {
        return new Problem(status, detail);
    }

    /** The whole answer of a problem that has nothing to add. */
    public static HttpResponse response(int status, String detail) {
        return of(status, detail).response();
    }

    /** Adds a member whose value is text. */
    public Problem with(String name, String value) {
        member(name);
        appendQuoted(json, value);
        return this;
    }

    /** Adds a member whose value is a list of texts. */
    public Problem with(String name, List<String> values) {
        member(name);
        json.append('[');
        for (int i = 0; i < values.size(); i++) {
            if (i > 0) {
                json.append(',');
            }
            appendQuoted(json, values.get(i));
        }
        json.append(']');
        return this;
    }

    /** Adds a member whose value is a JSON value, ready made. */
    public Problem withJson(String name, String value) {
        member(name);
        json.append(value);
        return this;
    }

    /** Adds a header line, without line end. */
    public Problem header(String line) {
        headers.add(line);
        return this;
    }

    public HttpResponse response() {
        byte[] body = (json + "}\n").getBytes(StandardCharsets.UTF_8);
        return new HttpResponse(status, headers, body);
    }

    private void member(String name) {
        json.append(',');
        appendQuoted(json, name);
        json.append(':');
    }

    /** Appends text as a JSON string (RFC 8259, 7). */
    public static void appendQuoted(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                default -> {
                    if (c < 0x20 || c == 0x7F || c == 0x2028 || c == 0x2029 || isLone(text, i)) {
                        json.append(String.format("\\u%04x", (int) c));
                    } else {
                        json.append(c);
                    }
                }
            }
        }
        json.append('"');
    }

    /** Half of a surrogate pair without the other half: UTF-8 has no bytes for it. */
    private static boolean isLone(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        return Character.isLowSurrogate(c)
                && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }
}
