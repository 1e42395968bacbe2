package dev.quorate.loadtest;

import static dev.quorate.harness.OptionRange.violation;

import dev.quorate.loadtest.late.LatePlan;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of {@code ./quorate bench cluster --late}. */
final class LateOptions {

    private static final int MAX_MILLIS = 1_000;
    private static final int USUAL_RATE = 10_000;
    private static final int MAX_RATE = 1_000_000;
    private static final int MAX_LOAD_MIB = 65_536;
    private static final int MAX_LOAD_MIB_PER_SECOND = 1_024;

    @Option(
            names = "--late",
            arity = "0..1",
            fallbackValue = "4",
            paramLabel = "MILLIS",
            description =
                    "Instead of all that: GET and PUT at a fixed rate, and what happened in the"
                            + " nodes when requests took longer, by default than 4 ms.")
    private @Nullable Integer millis;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "Requests a second, of --late and --beside. The default of the former is 10000, of"
                            + " the latter as many as are answered.")
    private @Nullable Integer rate;

    @Option(
            names = "--load-mib",
            paramLabel = "N",
            description =
                    "So much is put beside the last of these, so that nodes flush and compact. The"
                            + " default is 2048, with --quick 128.")
    private @Nullable Integer loadMebibytes;

    @Option(
            names = "--load-mib-per-second",
            paramLabel = "N",
            description = "As fast as that. The default is ${DEFAULT-VALUE}.")
    private int loadMebibytesPerSecond = 8;

    boolean isAsked() {
        return millis != null;
    }

    Optional<String> complaint() {
        return violation("--late", millis == null ? 1 : millis, 1, MAX_MILLIS)
                .or(() -> violation("--rate", rate(), 1, MAX_RATE))
                .or(() -> violation("--load-mib", mebibytes(true), 1, MAX_LOAD_MIB))
                .or(
                        () ->
                                violation(
                                        "--load-mib-per-second",
                                        loadMebibytesPerSecond,
                                        1,
                                        MAX_LOAD_MIB_PER_SECOND));
    }

    int rate() {
        return rate == null ? USUAL_RATE : rate;
    }

    /** 0 if none is given. */
    int givenRate() {
        return rate == null ? 0 : rate;
    }

    Duration limit() {
        return Duration.ofMillis(millis == null ? 0 : millis);
    }

    LatePlan.Loading loading(boolean quick) {
        return new LatePlan.Loading(mebibytes(quick), loadMebibytesPerSecond);
    }

    private int mebibytes(boolean quick) {
        return loadMebibytes != null ? loadMebibytes : quick ? 128 : 2_048;
    }
}
