package dev.quorate.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a range.
 *
 * @param entries in the order of their keys; may be empty
 * @param cursor the cursor of the next page, valid at any node; null after the last page
 */
public record Page(List<Entry> entries, @Nullable String cursor) {

    public Page {
        entries = List.copyOf(entries);
    }
}
