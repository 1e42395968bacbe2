package dev.quorate.loadtest.report.publish;

import com.google.gson.JsonParseException;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.time.DateTimeException;
import java.util.function.Function;

/** A value that JSON has as a string. */
final class TextAdapter<T> extends TypeAdapter<T> {

    private final Function<String, T> parser;

    TextAdapter(Function<String, T> parser) {
        this.parser = parser;
    }

    @Override
    public void write(JsonWriter out, T value) throws IOException {
        out.value(value.toString());
    }

    @Override
    public T read(JsonReader in) throws IOException {
        String text = in.nextString();
        try {
            return parser.apply(text);
        } catch (DateTimeException | InvalidPathException e) {
            throw new JsonParseException("'" + text + "' is not what is expected there", e);
        }
    }
}
