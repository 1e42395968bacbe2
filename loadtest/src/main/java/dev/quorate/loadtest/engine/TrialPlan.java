package dev.quorate.loadtest.engine;

import dev.quorate.storage.Compression;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What one trial measures.
 *
 * @param directory the empty directory for its data
 * @param keys how many keys are loaded
 * @param valueBytes the size of each value, 8 or more
 * @param warmUpMillis how long an operation is done before it counts
 * @param runMillis how long it counts
 * @param only names of the figures that are wanted
 * @param compression how data blocks are stored
 */
record TrialPlan(
        Engine.EngineKind engine,
        Path directory,
        int keys,
        int valueBytes,
        int warmUpMillis,
        int runMillis,
        Pattern only,
        Compression compression) {

    /** As arguments of a program. */
    List<String> toArguments() {
        return List.of(
                engine.name(),
                directory.toString(),
                Integer.toString(keys),
                Integer.toString(valueBytes),
                Integer.toString(warmUpMillis),
                Integer.toString(runMillis),
                only.pattern(),
                compression.name());
    }

    static TrialPlan ofArguments(String[] arguments) {
        return new TrialPlan(
                Engine.EngineKind.valueOf(arguments[0]),
                Path.of(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]),
                Integer.parseInt(arguments[5]),
                Pattern.compile(arguments[6]),
                Compression.valueOf(arguments[7]));
    }

    boolean wants(String figure) {
        return only.matcher(figure).find();
    }

    /** Whether a trial of this plan has anything to measure. */
    boolean wantsAnything() {
        return Trial.FIGURES.stream().anyMatch(what -> wants(name(what)));
    }

    /** The name of a figure, which contains the size of the values. */
    String name(String what) {
        return (valueBytes < 1024 ? valueBytes + " B" : valueBytes / 1024 + " KiB") + ": " + what;
    }
}
