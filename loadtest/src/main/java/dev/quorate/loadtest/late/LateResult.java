package dev.quorate.loadtest.late;

import dev.quorate.loadtest.load.LoadResult;
import java.util.List;
import java.util.Optional;

/**
 * What came of a plan.
 *
 * @param refusals sentences about the cases without figures
 */
public record LateResult(List<Figures> figures, List<String> refusals) {

    public LateResult {
        figures = List.copyOf(figures);
        refusals = List.copyOf(refusals);
    }

    /**
     * Those of one case.
     *
     * @param rate requests a second that were asked for
     * @param uncounted late requests that are in no moment, since there were too many
     * @param unavailable requests that were refused with 503
     */
    public record Figures(
            String name,
            int rate,
            LoadResult result,
            LateCauses causes,
            long uncounted,
            long unavailable,
            Optional<Loaded> loaded) {

        /** A lower throughput than this, of the rate that was asked for, is another rate. */
        private static final double KEPT_UP = 0.95;

        boolean fellBehind() {
            return result.requestsPerSecond() < rate * KEPT_UP;
        }
    }

    /**
     * What was put beside it.
     *
     * @param mebibytes that were acknowledged, of
     * @param wanted so many
     * @param flushed by the node that was asked, while the case ran, in MiB
     * @param compacted written by its compactions in that time, in MiB
     */
    public record Loaded(double mebibytes, int wanted, double flushed, double compacted) {}
}
