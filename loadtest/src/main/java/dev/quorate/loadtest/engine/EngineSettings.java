package dev.quorate.loadtest.engine;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * How much is measured.
 *
 * @param sizes one after the other
 * @param rounds trials of each engine; the median is what is reported
 * @param warmUpMillis how long an operation is done before it counts
 * @param runMillis how long it counts
 * @param heap of each process, as Java wants it
 * @param only names of the figures that are wanted
 * @param beside what ours is compared to
 * @param conditions the same for both
 */
public record EngineSettings(
        List<Size> sizes,
        int rounds,
        int warmUpMillis,
        int runMillis,
        String heap,
        Pattern only,
        EngineKind beside,
        Conditions conditions) {

    /** Keys that are loaded, and the size of each value. */
    public record Size(int keys, int valueBytes) {}

    private static final int QUICK_SHARE = 10;
    private static final int LARGER_VALUES_SHARE = 5;
    private static final int QUICK_LARGER_VALUES_SHARE = 20;
    private static final int KIB = 1024;

    public EngineSettings {
        sizes = List.copyOf(sizes);
    }

    /**
     * A million keys with small values, then fewer with larger ones; a tenth, and a twentieth, if
     * quick.
     */
    public static EngineSettings standard(
            boolean quick, int keys, Pattern only, EngineKind beside, Conditions conditions) {
        int share = quick ? QUICK_SHARE : 1;
        int largerShare = quick ? QUICK_LARGER_VALUES_SHARE : LARGER_VALUES_SHARE;
        List<Size> sizes =
                List.of(
                        new Size(Math.max(1, keys / share), 100),
                        new Size(Math.max(1, keys / largerShare), KIB));
        return new EngineSettings(
                sizes, 3, quick ? 100 : 700, quick ? 150 : 900, "128m", only, beside, conditions);
    }

    TrialPlan trial(EngineKind engine, Path directory, Size size) {
        return new TrialPlan(
                engine,
                directory.resolve("trial"),
                size.keys(),
                size.valueBytes(),
                warmUpMillis,
                runMillis,
                only,
                conditions);
    }
}
