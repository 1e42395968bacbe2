package dev.quorate.node.api.request;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Chooses the format of an answer by the header Accept (RFC 9110, 12.5.1). */
public final class Accept {

    /** Further types are not read: a header of thousands would cost more than its answer. */
    private static final int MAX_RANGES = 32;

    private Accept() {}

    /**
     * The offered type with the highest q-value. Of equal ones, those that the header names precede
     * those that a wildcard includes, in their order in the header. The first offered type if the
     * header is missing or accepts none.
     */
    public static String best(@Nullable String header, String... offered) {
        String best = offered[0];
        double highest = 0;
        String[] ranges = header == null ? offered : header.toLowerCase(Locale.ROOT).split(",", -1);
        for (String type : offered) {
            double rank = rank(type, ranges);
            if (rank > highest) {
                highest = rank;
                best = type;
            }
        }
        return best;
    }

    /** The q-value of the most specific range that includes a type, plus less than 0.001. */
    private static double rank(String type, String[] ranges) {
        String all = type.substring(0, type.indexOf('/')) + "/*";
        for (String wanted : List.of(type, all, "*/*")) {
            for (int i = 0; i < Math.min(ranges.length, MAX_RANGES); i++) {
                String[] range = ranges[i].split(";", -1);
                if (range[0].strip().equals(wanted)) {
                    double q = quality(range);
                    return q == 0 || !wanted.equals(type) ? q : q + 0.0009 - i * 1e-8;
                }
            }
        }
        return 0;
    }

    private static double quality(String[] range) {
        for (String parameter : range) {
            String text = parameter.strip();
            if (text.matches("q=[01](\\.[0-9]{0,3})?")) {
                return Math.min(1, Double.parseDouble(text.substring(2)));
            }
        }
        return 1;
    }
}
