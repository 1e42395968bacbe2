package dev.quorate.node.http;

import java.util.List;

/**
 * Writes JSON (RFC 8259) from beginning to end. It places the commas, quotes and escapes text; that
 * ends match beginnings, and that names are unique, is the caller's part.
 */
public final class JsonWriter {

    private final StringBuilder json;

    /** Whether a comma belongs before the next member or element. */
    private boolean needsComma;

    /**
     * Creates a writer of an empty text.
     *
     * @param capacity characters that the text probably has
     */
    public JsonWriter(int capacity) {
        json = new StringBuilder(capacity);
    }

    /** Begins an object as an element, or as the whole. */
    public JsonWriter beginObject() {
        return begin('{');
    }

    /** Begins an object as a member. */
    public JsonWriter beginObject(String name) {
        return name(name).begin('{');
    }

    public JsonWriter endObject() {
        return end('}');
    }

    /** Begins an array as a member. */
    public JsonWriter beginArray(String name) {
        return name(name).begin('[');
    }

    public JsonWriter endArray() {
        return end(']');
    }

    /** Writes a member whose value is a text. */
    public JsonWriter field(String name, String value) {
        return name(name).value(value);
    }

    /** Writes a member whose value is a number. */
    public JsonWriter field(String name, long value) {
        name(name).json.append(value);
        needsComma = true;
        return this;
    }

    /** Writes a member whose value is a truth value. */
    public JsonWriter field(String name, boolean value) {
        name(name).json.append(value);
        needsComma = true;
        return this;
    }

    /** Writes a member whose value is an array of texts. */
    public JsonWriter field(String name, List<String> values) {
        beginArray(name);
        values.forEach(this::value);
        return endArray();
    }

    /** Writes a member whose value is a number of milliseconds with three decimals. */
    public JsonWriter millisField(String name, int micros) {
        String decimals = Integer.toString(1_000 + micros % 1_000);
        name(name).json.append(micros / 1_000).append('.').append(decimals, 1, 4);
        needsComma = true;
        return this;
    }

    /** Writes a text as an element. */
    public JsonWriter value(String text) {
        comma();
        quote(text);
        needsComma = true;
        return this;
    }

    /** What has been written. */
    @Override
    public String toString() {
        return json.toString();
    }

    private JsonWriter name(String name) {
        comma();
        quote(name);
        json.append(':');
        needsComma = false;
        return this;
    }

    private JsonWriter begin(char bracket) {
        comma();
        json.append(bracket);
        needsComma = false;
        return this;
    }

    private JsonWriter end(char bracket) {
        json.append(bracket);
        needsComma = true;
        return this;
    }

    private void comma() {
        if (needsComma) {
            json.append(',');
        }
    }

    private void quote(String text) {
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
