package dev.quorate.loadtest.engine;

import dev.quorate.storage.Compression;
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
 * @param compression how data blocks are stored
 */
public record EngineSettings(
        List<Size> sizes,
        int rounds,
        int warmUpMillis,
        int runMillis,
        String heap,
        Pattern only,
        Compression compression) {

    /** Keys that are loaded, and the size of each value. */
    public record Size(int keys, int valueBytes) {}

    public EngineSettings {
        sizes = List.copyOf(sizes);
    }

    /**
     * A number of keys with small values, then a fifth of them with larger ones; a tenth, and a
     * twentieth, if quick.
     */
    public static EngineSettings standard(
            boolean quick, int keys, Pattern only, Compression compression) {
        List<Size> sizes =
                List.of(
                        new Size(Math.max(1, keys / (quick ? 10 : 1)), 100),
                        new Size(Math.max(1, keys / (quick ? 20 : 5)), 1_024));
        return new EngineSettings(
                sizes, 3, quick ? 100 : 700, quick ? 150 : 900, "128m", only, compression);
    }

    TrialPlan trial(Engine.EngineKind engine, Path directory, Size size) {
        return new TrialPlan(
                engine,
                directory.resolve("trial"),
                size.keys(),
                size.valueBytes(),
                warmUpMillis,
                runMillis,
                only,
                compression);
    }
}
