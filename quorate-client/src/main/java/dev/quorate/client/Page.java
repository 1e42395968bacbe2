package dev.quorate.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a range.
 *
 * @param entries in the order of their keys; may be empty
 * @param cursor of the next page, which any node takes; null after the last
 */
public record Page(List<Entry> entries, @Nullable String cursor) {

    /** Copies the list. */
    public Page {
        entries = List.copyOf(entries);
    }
}
