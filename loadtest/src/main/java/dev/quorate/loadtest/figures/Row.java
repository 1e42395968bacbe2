package dev.quorate.loadtest.figures;

import org.jspecify.annotations.Nullable;

/**
 * One figure.
 *
 * @param name what was measured; no two rows have the same
 * @param unit of the value, such as "requests/s" or "ms"
 * @param reference the name of the row that this one is compared to, or null if it is compared to
 *     none
 * @param ratio this value over that of the reference, or null without one
 */
public record Row(
        String name,
        double value,
        String unit,
        @Nullable String reference,
        @Nullable Double ratio) {}
