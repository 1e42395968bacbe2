package dev.quorate.node.json;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.List;

/** Writes JSON (RFC 8259) into a string, by Gson's writer. Names of members must be unique. */
public final class JsonWriter {

    private final StringWriter text;
    private final com.google.gson.stream.JsonWriter json;

    /**
     * Creates a writer of an empty text.
     *
     * @param capacity the expected number of characters
     */
    public JsonWriter(int capacity) {
        text = new StringWriter(capacity);
        json = new com.google.gson.stream.JsonWriter(text);
    }

    /** Begins an object as an element, or as the whole. */
    public JsonWriter beginObject() {
        return write(json::beginObject);
    }

    /** Begins an object as a member. */
    public JsonWriter beginObject(String name) {
        return write(() -> json.name(name).beginObject());
    }

    public JsonWriter endObject() {
        return write(json::endObject);
    }

    /** Begins an array as a member. */
    public JsonWriter beginArray(String name) {
        return write(() -> json.name(name).beginArray());
    }

    public JsonWriter endArray() {
        return write(json::endArray);
    }

    /** Writes a member whose value is a text. */
    public JsonWriter field(String name, String value) {
        return write(() -> json.name(name).value(value));
    }

    /** Writes a member whose value is a number. */
    public JsonWriter field(String name, long value) {
        return write(() -> json.name(name).value(value));
    }

    /** Writes a member whose value is a boolean. */
    public JsonWriter field(String name, boolean value) {
        return write(() -> json.name(name).value(value));
    }

    /** Writes a member whose value is an array of texts. */
    public JsonWriter field(String name, List<String> values) {
        beginArray(name);
        values.forEach(this::value);
        return endArray();
    }

    /** Writes a member whose value is a number of milliseconds with three decimals. */
    public JsonWriter millisField(String name, int micros) {
        return write(() -> json.name(name).value(BigDecimal.valueOf(micros, 3)));
    }

    /** Writes a text as an element. */
    public JsonWriter value(String element) {
        return write(() -> json.value(element));
    }

    /** The text written so far. */
    @Override
    public String toString() {
        return text.toString();
    }

    private interface Step {
        void write() throws IOException;
    }

    private JsonWriter write(Step step) {
        try {
            step.write();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a string writer throws none
        }
    }
}
