package dev.quorate.loadtest.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The circumstances of the figures: processors, memory, versions, sizes.
 *
 * @param values by name, in the order in which they are printed
 */
public record Circumstances(Map<String, String> values) {

    public Circumstances {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }
}
