package dev.quorate.loadtest.late;

import dev.quorate.loadtest.load.Span;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Late requests by what happened at the time.
 *
 * <p>The rule: requests of which each waited while another did are one moment. Something is the
 * cause of a moment only if it went on during the moment, for at least a quarter of the time that
 * the moment's longest request took; of several, the first in the order of {@link Cause}. That it
 * happened at the time does not prove that it was the reason.
 *
 * @param limit above which a request is late
 * @param rows with a moment, in the order of the causes
 */
public record LateCauses(Duration limit, List<Row> rows) {

    private static final int LEAST_SHARE = 4;

    public LateCauses {
        rows = List.copyOf(rows);
    }

    /**
     * All moments of one cause.
     *
     * @param requests of all of them
     * @param longestNanos of the request that took longest
     * @param places where it happened, and how many of the moments were then; a moment in which it
     *     happened in several places counts for each
     */
    public record Row(
            Cause cause,
            int moments,
            int requests,
            long longestNanos,
            Map<String, Integer> places) {

        public Row {
            places = Map.copyOf(places);
        }

        private Row with(Moment moment, List<String> where) {
            Map<String, Integer> more = new HashMap<>(places);
            where.forEach(place -> more.merge(place, 1, Integer::sum));
            return new Row(
                    cause,
                    moments + 1,
                    requests + moment.requests(),
                    Math.max(longestNanos, moment.longestNanos()),
                    more);
        }
    }

    /**
     * Gives each moment a cause.
     *
     * @param late from when each late request was due to its answer
     */
    static LateCauses of(Duration limit, List<Span> late, List<Happening> happenings) {
        Map<Cause, Row> rows = new EnumMap<>(Cause.class);
        for (Moment moment : Moment.of(late)) {
            List<Happening> then =
                    happenings.stream()
                            .filter(each -> moment.when().overlapNanos(each.when()) > 0)
                            .toList();
            Cause cause =
                    Arrays.stream(Cause.values())
                            .filter(each -> isCause(moment, spans(then, each)))
                            .findFirst()
                            .orElse(Cause.UNKNOWN);
            List<String> where =
                    then.stream()
                            .filter(each -> each.cause() == cause)
                            .map(Happening::place)
                            .distinct()
                            .toList();
            rows.put(
                    cause,
                    rows.getOrDefault(cause, new Row(cause, 0, 0, 0, Map.of()))
                            .with(moment, where));
        }
        return new LateCauses(limit, List.copyOf(rows.values()));
    }

    private static List<Span> spans(List<Happening> happenings, Cause cause) {
        return happenings.stream()
                .filter(each -> each.cause() == cause)
                .map(Happening::when)
                .sorted(Comparator.comparingLong(Span::fromNanos))
                .toList();
    }

    /**
     * Whether what happened took up enough of the moment.
     *
     * @param spans in the order in which they began; what happened twice at a time counts once
     */
    private static boolean isCause(Moment moment, List<Span> spans) {
        long common = 0;
        long coveredTo = moment.when().fromNanos();
        for (Span each : spans) {
            long from = Math.max(coveredTo, each.fromNanos());
            long to = Math.min(moment.when().toNanos(), each.toNanos());
            common += Math.max(0, to - from);
            coveredTo = Math.max(coveredTo, to);
        }
        return common > 0 && common * LEAST_SHARE >= moment.longestNanos();
    }
}
