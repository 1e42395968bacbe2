package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Spectrum;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** What a cluster answers that is none. */
final class Answers {

    private Answers() {}

    /** Answers up to a rate in a millisecond, and above it in a second. */
    static LoadResult to(Load load, int breaksAbove, Map<Integer, Long> statuses) {
        int rate = load.timing().rate();
        boolean isTooMuch =
                rate > breaksAbove && load.requests().operation() != Load.Operation.STATIC;
        Histogram second = new Histogram(3);
        second.recordValueWithCount(isTooMuch ? 1_000_000 : 1_000, 1_000);
        second.setStartTimeStamp(0);
        second.setEndTimeStamp(1_000);
        return new LoadResult(
                1_000,
                rate == 0 ? breaksAbove : Math.min(rate, breaksAbove),
                new Spectrum(second),
                LoadResult.Second.of(List.of(second)),
                0,
                0,
                statuses,
                0,
                true);
    }

    /** The statuses that are right. */
    static Map<Integer, Long> right(Load load) {
        return load.requests().expectedStatuses().stream()
                .collect(Collectors.toMap(status -> status, _ -> 1_000L));
    }
}
