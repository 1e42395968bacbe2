package dev.quorate.loadtest.late;

import dev.quorate.loadtest.load.Span;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Late requests by what happened at the time.
 *
 * <p>The rule: requests of which each waited while another did are one moment. A cause is given to
 * a moment only for what lasted, while it did, for at least a quarter of the limit, or as long as
 * the moment itself; of several causes, the first in the order of {@link Cause}. That something
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
        long least = limit.toNanos() / LEAST_SHARE;
        for (Moment moment : Moment.of(late)) {
            List<Happening> then =
                    happenings.stream()
                            .filter(each -> isAt(moment.when(), each.when(), least))
                            .toList();
            Cause cause =
                    then.stream()
                            .map(Happening::cause)
                            .min(Comparator.naturalOrder())
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

    private static boolean isAt(Span moment, Span happening, long leastNanos) {
        long common = moment.overlapNanos(happening);
        return common > 0 && common >= Math.min(leastNanos, moment.nanos());
    }
}
