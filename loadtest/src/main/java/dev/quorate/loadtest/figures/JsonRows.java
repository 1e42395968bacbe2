package dev.quorate.loadtest.figures;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Rows as JSON: an array with an object for each row, a line each.
 *
 * <pre>
 * [
 *   {"name":"a","value":1.000,"unit":"ms","reference":null,"ratio":null}
 * ]
 * </pre>
 */
public final class JsonRows {

    private static final int FIRST_PRINTABLE = 0x20;

    private JsonRows() {}

    /** Writes the rows, in their order. */
    public static String write(List<Row> rows) {
        List<String> objects = rows.stream().map(JsonRows::object).toList();
        return "[\n" + String.join(",\n", objects) + "\n]\n";
    }

    private static String object(Row row) {
        return "  {\"name\":%s,\"value\":%s,\"unit\":%s,\"reference\":%s,\"ratio\":%s}"
                .formatted(
                        string(row.name()),
                        number(row.value()),
                        string(row.unit()),
                        string(row.reference()),
                        number(row.ratio()));
    }

    private static String number(@Nullable Double value) {
        if (value == null) {
            return "null";
        }
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("JSON has no number " + value);
        }
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String string(@Nullable String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < FIRST_PRINTABLE) {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
