package dev.quorate.loadtest.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.cli.process.CommandException;
import dev.quorate.storage.Compression;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Runs trials, each in its own Java process, and collects their figures.
 *
 * @param progress receives a line for each step
 */
public record EngineBenchmark(Path directory, EngineSettings settings, Consumer<String> progress) {

    private static final String LINE = "%-50s %12s %12s  %-4s %6s  %s%n";

    /** Runs all trials, alternating between the engines. Returns a table of their figures. */
    public String compare() throws IOException, CommandException {
        Map<String, Map<Engine.EngineKind, List<Trial.Figure>>> found = new LinkedHashMap<>();
        List<Engine.EngineKind> kinds = List.of(Engine.EngineKind.values());
        for (EngineSettings.Size size : settings.sizes()) {
            for (int round = 0; round < settings.rounds(); round++) {
                // Alternates the order, because the second engine runs on a warmer machine.
                for (Engine.EngineKind engine : round % 2 == 0 ? kinds : kinds.reversed()) {
                    Trial.TrialPlan plan = settings.trial(engine, directory, size);
                    if (!plan.wantsAnything()) {
                        continue;
                    }
                    progress.accept(plan.name("trial " + (round + 1) + " of " + engine.label));
                    for (Trial.Figure figure : runTrial(plan)) {
                        found.computeIfAbsent(figure.name(), name -> new LinkedHashMap<>())
                                .computeIfAbsent(engine, kind -> new ArrayList<>())
                                .add(figure);
                    }
                }
            }
        }
        StringBuilder table = new StringBuilder();
        table.append(LINE.formatted("", "Quorate", "RocksDB", "", "ratio", "all runs of both"));
        found.forEach((name, figures) -> table.append(line(name, figures)));
        return table.toString();
    }

    /** The medians and the ranges of a figure. RocksDB does not report each. */
    private static String line(String name, Map<Engine.EngineKind, List<Trial.Figure>> figures) {
        List<Trial.Figure> ours = figures.getOrDefault(Engine.EngineKind.QUORATE, List.of());
        List<Trial.Figure> theirs = figures.getOrDefault(Engine.EngineKind.ROCKSDB, List.of());
        String unit = ours.getFirst().unit();
        double our = median(ours);
        return theirs.isEmpty()
                ? LINE.formatted(name, number(our), "-", unit, "-", range(ours))
                : LINE.formatted(
                        name,
                        number(our),
                        number(median(theirs)),
                        unit,
                        String.format(Locale.ROOT, "%.2f", our / median(theirs)),
                        range(ours) + ", " + range(theirs));
    }

    private static double[] sorted(List<Trial.Figure> figures) {
        return figures.stream().mapToDouble(Trial.Figure::value).sorted().toArray();
    }

    private static double median(List<Trial.Figure> figures) {
        return sorted(figures)[figures.size() / 2];
    }

    private static String range(List<Trial.Figure> figures) {
        double[] sorted = sorted(figures);
        return number(sorted[0]) + " - " + number(sorted[sorted.length - 1]);
    }

    private static String number(double value) {
        String format = value < 1 ? "%.3f" : value < 100 ? "%.1f" : "%,.0f";
        return String.format(Locale.ROOT, format, value);
    }

    private List<Trial.Figure> runTrial(Trial.TrialPlan plan) throws IOException, CommandException {
        Files.createDirectories(plan.directory());
        try {
            return runJava(plan.toArguments());
        } finally {
            Folder.delete(plan.directory());
        }
    }

    private List<Trial.Figure> runJava(List<String> arguments)
            throws IOException, CommandException {
        String heap = settings.heap();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xms" + heap, "-Xmx" + heap, "-XX:+UseG1GC"));
        command.addAll(List.of("-XX:+ExitOnOutOfMemoryError"));
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("--sun-misc-unsafe-memory-access=allow"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(Trial.class.getName());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<Trial.Figure> figures = new ArrayList<>();
        List<String> printed = new ArrayList<>();
        try (BufferedReader lines = process.inputReader(UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (Trial.Figure.isLine(line)) {
                    figures.add(Trial.Figure.parse(line));
                    progress.accept("  " + line.replace('\t', ' '));
                } else {
                    printed.add(line);
                }
            }
            int exit = process.waitFor();
            if (exit != 0) {
                throw new CommandException(
                        "a trial ended with " + exit + ": " + String.join("\n", printed));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted");
        } finally {
            process.destroyForcibly();
        }
        return figures;
    }

    /**
     * The settings of a benchmark.
     *
     * @param rounds the number of trials of each engine; the median is reported
     * @param warmUpMillis the time of each operation before the measurement
     * @param runMillis the time of the measurement
     * @param heap the heap of each process, such as 128m
     * @param only matches the names of the figures to measure
     */
    public record EngineSettings(
            List<Size> sizes,
            int rounds,
            int warmUpMillis,
            int runMillis,
            String heap,
            Pattern only,
            Compression compression) {

        public record Size(int keys, int valueBytes) {}

        /** Small values, then a fifth as many larger ones; a tenth and a twentieth if quick. */
        public static EngineSettings standard(
                boolean quick, int keys, Pattern only, Compression compression) {
            List<Size> sizes =
                    List.of(
                            new Size(Math.max(1, keys / (quick ? 10 : 1)), 100),
                            new Size(Math.max(1, keys / (quick ? 20 : 5)), 1_024));
            return new EngineSettings(
                    sizes, 3, quick ? 100 : 700, quick ? 150 : 900, "128m", only, compression);
        }

        Trial.TrialPlan trial(Engine.EngineKind engine, Path directory, Size size) {
            return new Trial.TrialPlan(
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
}
