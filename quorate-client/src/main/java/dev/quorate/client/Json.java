package dev.quorate.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A strict parser for the JSON (RFC 8259) that nodes send, with a limit of depth. A parsed value is
 * a {@code Map}, {@code List}, {@code String}, {@code Long}, {@code Double}, {@code Boolean}, or
 * null.
 */
final class Json {

    private static final int MAX_DEPTH = 16;
    private static final int MAX_SHOWN = 200;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The members of an object, with checks of their types. */
    record Members(Map<?, ?> members) {

        boolean has(String name) {
            return members.containsKey(name);
        }

        String text(String name) throws BadAnswerException {
            return of(name, String.class);
        }

        long number(String name) throws BadAnswerException {
            return of(name, Long.class);
        }

        List<?> list(String name) throws BadAnswerException {
            return of(name, List.class);
        }

        private <T> T of(String name, Class<T> type) throws BadAnswerException {
            Object value = members.get(name);
            if (!type.isInstance(value)) {
                throw new BadAnswerException("no '" + name + "' where one belongs");
            }
            return type.cast(value);
        }
    }

    static Members object(String text) throws BadAnswerException {
        Json json = new Json(text);
        Object value = json.value(0);
        json.skipBlanks();
        if (json.at < text.length()) {
            throw json.bad();
        }
        return members(value);
    }

    static Members members(@Nullable Object value) throws BadAnswerException {
        if (value instanceof Map<?, ?> members) {
            return new Members(members);
        }
        throw new BadAnswerException("no object where one belongs");
    }

    private BadAnswerException bad() {
        return new BadAnswerException("no JSON at character " + at);
    }

    private char next() throws BadAnswerException {
        if (at >= text.length()) {
            throw bad();
        }
        return text.charAt(at++);
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    /** Skips blanks, and consumes the next character if it is this one. */
    private boolean isNext(char c) {
        skipBlanks();
        boolean is = at < text.length() && text.charAt(at) == c;
        at += is ? 1 : 0;
        return is;
    }

    private void require(char c) throws BadAnswerException {
        if (!isNext(c)) {
            throw bad();
        }
    }

    private @Nullable Object value(int depth) throws BadAnswerException {
        if (depth > MAX_DEPTH) {
            throw bad();
        }
        if (isNext('{')) {
            return map(depth);
        }
        if (isNext('[')) {
            return array(depth);
        }
        return isNext('"') ? string() : plain();
    }

    private Map<String, @Nullable Object> map(int depth) throws BadAnswerException {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        if (isNext('}')) {
            return members;
        }
        do {
            require('"');
            String name = string();
            require(':');
            if (members.containsKey(name)) {
                throw bad();
            }
            members.put(name, value(depth + 1));
        } while (isNext(','));
        require('}');
        return members;
    }

    private List<@Nullable Object> array(int depth) throws BadAnswerException {
        List<@Nullable Object> elements = new ArrayList<>();
        if (isNext(']')) {
            return elements;
        }
        do {
            elements.add(value(depth + 1));
        } while (isNext(','));
        require(']');
        return elements;
    }

    private String string() throws BadAnswerException {
        int end = at;
        while (end < text.length() && text.charAt(end) != '"' && text.charAt(end) != '\\') {
            end++;
        }
        String plain = text.substring(at, end);
        at = end;
        if (isNextQuote()) {
            return plain; // avoids a copy, because a value may have megabytes
        }
        StringBuilder string = new StringBuilder(plain);
        for (char c = next(); c != '"'; c = next()) {
            string.append(c == '\\' ? escaped() : c);
        }
        return string.toString();
    }

    private boolean isNextQuote() {
        boolean is = at < text.length() && text.charAt(at) == '"';
        at += is ? 1 : 0;
        return is;
    }

    private char escaped() throws BadAnswerException {
        char c = next();
        int simple = "\"\\/bfnrt".indexOf(c);
        if (simple >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(simple);
        }
        if (c != 'u') {
            throw bad();
        }
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(next(), 16);
            if (digit < 0) {
                throw bad();
            }
            code = code << 4 | digit;
        }
        return (char) code;
    }

    private @Nullable Object plain() throws BadAnswerException {
        int begin = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(begin, at);
        if (word.matches("-?[0-9]{1,18}")) {
            return Long.valueOf(word);
        }
        if (word.matches("-?[0-9]{1,18}(\\.[0-9]{1,18})?([eE][-+]?[0-9]{1,3})?")) {
            return Double.valueOf(word);
        }
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> null;
            default -> throw bad();
        };
    }

    static final class BadAnswerException extends Exception {

        BadAnswerException(String message) {
            super(message);
        }
    }

    // ---- Texts for messages, JSON and URLs.

    /** A server's text, truncated and reduced to printable ASCII. */
    static String shown(String text) {
        String shown = text.substring(0, Math.min(text.length(), MAX_SHOWN));
        return shown.replaceAll("[^ -~]", "?") + (text.length() > MAX_SHOWN ? "..." : "");
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static String escaped(String type) {
        return type.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    /** Percent-encodes a key (RFC 3986). */
    static String encoded(byte[] key) {
        return URLEncoder.encode(new String(key, ISO_8859_1), ISO_8859_1)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }
}
