package dev.quorate.node.api.request;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a query, still percent-encoded. Names are compared exactly, as they were sent.
 * A plus sign is refused, because clients disagree on its meaning.
 *
 * <p>An unknown name is refused: ignoring a misspelt {@code replicas} would silently give weaker
 * guarantees than requested.
 */
public final class QueryParameters {

    private static final int MAX_SHOWN = 32;

    private final List<String> names;
    private final @Nullable String[] values;

    private QueryParameters(List<String> names) {
        this.names = names;
        values = new @Nullable String[names.size()];
    }

    /**
     * Reads a query.
     *
     * @param query the text after the question mark; null for none
     * @param names the names that may occur, each at most once
     * @throws RequestRefusedException if a name is unknown or given twice
     */
    public static QueryParameters parse(@Nullable String query, List<String> names)
            throws RequestRefusedException {
        QueryParameters parameters = new QueryParameters(names);
        if (query != null) {
            int from = 0;
            while (from < query.length()) {
                int end = query.indexOf('&', from);
                int to = end < 0 ? query.length() : end;
                if (to > from) {
                    parameters.add(query, from, to);
                }
                from = to + 1;
            }
        }
        return parameters;
    }

    private void add(String query, int from, int to) throws RequestRefusedException {
        int plus = query.indexOf('+', from);
        if (plus >= 0 && plus < to) {
            // Half of all clients mean a blank: either reading would merge two keys.
            throw new RequestRefusedException(
                    400, "A '+' in a query is ambiguous. Write %2B for a plus, %20 for a blank.");
        }
        int sign = query.indexOf('=', from);
        int nameEnd = sign < 0 || sign > to ? to : sign;
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (name.length() == nameEnd - from && query.startsWith(name, from)) {
                if (values[i] != null) {
                    throw new RequestRefusedException(
                            400, "The parameter '" + name + "' is given more than once.");
                }
                values[i] = query.substring(Math.min(nameEnd + 1, to), to);
                return;
            }
        }
        int shown = Math.min(nameEnd, from + MAX_SHOWN);
        throw new RequestRefusedException(
                400,
                "The parameter '%s%s' is not known here; known are: %s."
                        .formatted(
                                query.substring(from, shown),
                                shown < nameEnd ? "…" : "",
                                String.join(", ", names)));
    }

    /** The value of a known parameter, empty if it has none; null if the parameter is absent. */
    public @Nullable String raw(String name) {
        return values[names.indexOf(name)];
    }
}
