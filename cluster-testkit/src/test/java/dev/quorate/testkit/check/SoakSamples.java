package dev.quorate.testkit.check;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Figures of the processes of a soak, which must not grow. They are written to a CSV file as they
 * are taken.
 */
final class SoakSamples implements AutoCloseable {

    private static final double GROWTH = 1.25;
    private static final double MIB = 1 << 20;
    private static final int PARTS = 3;
    private static final Pattern AFTER_GC =
            Pattern.compile(
                    "(?m)^jvm_memory_pool_collection_used_bytes\\{pool=\"[^\"]*\"\\} (\\S+)");

    /** The samples of each process, and by how much each may grow in addition to a quarter. */
    enum Figure {
        HEAP_AFTER_GC(8 * MIB),
        RESIDENT(64 * MIB),
        /** Without mapped files. */
        ANONYMOUS(32 * MIB),
        DESCRIPTORS(24),
        THREADS(6),
        FILES(24),
        DISK(96 * MIB);

        final double slack;

        Figure(double slack) {
            this.slack = slack;
        }
    }

    /**
     * @param seconds the time since the start
     * @param node the name of the node
     */
    record Sample(double seconds, String node, Map<Figure, Double> figures) {}

    /** The medians of a figure in each third of the time. */
    record Trend(String what, Figure figure, double first, double middle, double last) {

        boolean isFlat() {
            return last <= GROWTH * middle + figure.slack;
        }

        @Override
        public String toString() {
            double unit = figure.slack < MIB ? 1 : MIB;
            return String.format(
                    Locale.ROOT,
                    "%-8s %-15s %9.1f %9.1f %9.1f %s",
                    what,
                    figure.name().toLowerCase(Locale.ROOT) + (unit == 1 ? "" : "_mib"),
                    first / unit,
                    middle / unit,
                    last / unit,
                    isFlat() ? "" : "GROWS");
        }
    }

    private final List<Sample> samples = new ArrayList<>();
    private final PrintWriter csv;

    SoakSamples(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        csv = new PrintWriter(Files.newBufferedWriter(file), true);
        csv.println(
                "seconds,node,pid,operations,failures,"
                        + Stream.of(Figure.values())
                                .map(each -> each.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(",")));
    }

    /**
     * Takes the figures of a process. The process collects garbage first.
     *
     * @param metrics returns its page of metrics
     * @throws IOException if the process ends meanwhile
     */
    static Map<Figure, Double> figures(long pid, Path data, Page metrics) throws IOException {
        collectGarbage(pid);
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        figures.put(Figure.HEAP_AFTER_GC, heapAfterGc(metrics.read()));
        Path process = Path.of("/proc", "" + pid);
        List<String> status = Files.readAllLines(process.resolve("status"));
        figures.put(Figure.RESIDENT, 1_024 * number(status, "VmRSS:"));
        figures.put(Figure.ANONYMOUS, 1_024 * number(status, "RssAnon:"));
        figures.put(Figure.THREADS, number(status, "Threads:"));
        try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
            figures.put(Figure.DESCRIPTORS, (double) descriptors.count());
        }
        long[] sizes = sizes(data);
        figures.put(Figure.FILES, (double) sizes[0]);
        figures.put(Figure.DISK, (double) sizes[1]);
        return figures;
    }

    /** A page of a node. */
    @FunctionalInterface
    interface Page {
        String read() throws IOException;
    }

    private static void collectGarbage(long pid) throws IOException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        Process process =
                new ProcessBuilder(jcmd, "" + pid, "GC.run")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
                throw new IOException("jcmd failed for process " + pid);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** The bytes of all memory pools after their last collection. */
    static double heapAfterGc(String metrics) {
        return AFTER_GC.matcher(metrics)
                .results()
                .mapToDouble(each -> Double.parseDouble(each.group(1)))
                .sum();
    }

    private static double number(List<String> status, String label) throws IOException {
        return status.stream()
                .filter(line -> line.startsWith(label))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow(() -> new IOException("The process has ended."));
    }

    /** The number of files in a folder, and their bytes. Files may disappear meanwhile. */
    private static long[] sizes(Path folder) throws IOException {
        long[] sizes = new long[2];
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        sizes[0]++;
                        sizes[1] += attributes.size();
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException e) {
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path each, IOException e) {
                        return FileVisitResult.CONTINUE;
                    }
                });
        return sizes;
    }

    void add(Sample sample, long pid, long operations, long failures) {
        samples.add(sample);
        csv.printf(
                Locale.ROOT,
                "%.0f,%s,%d,%d,%d,%s%n",
                sample.seconds,
                sample.node,
                pid,
                operations,
                failures,
                Stream.of(Figure.values())
                        .map(each -> String.format(Locale.ROOT, "%.0f", sample.figures.get(each)))
                        .collect(Collectors.joining(",")));
    }

    /** The trends of one node, and of all others together. */
    List<Trend> trends(String node, double seconds) {
        List<Trend> trends = new ArrayList<>();
        for (Figure figure : Figure.values()) {
            trends.add(trend(samples, node, figure, seconds, node::equals));
            trends.add(trend(samples, "others", figure, seconds, each -> !node.equals(each)));
        }
        return trends;
    }

    static Trend trend(
            List<Sample> samples,
            String what,
            Figure figure,
            double seconds,
            Predicate<String> nodes) {
        double[] medians = new double[PARTS];
        for (int i = 0; i < PARTS; i++) {
            int part = i;
            List<Double> values =
                    samples.stream()
                            .filter(each -> nodes.test(each.node))
                            .filter(
                                    each ->
                                            Math.min(
                                                            PARTS - 1,
                                                            (int) (PARTS * each.seconds / seconds))
                                                    == part)
                            .map(each -> each.figures.get(figure))
                            .sorted()
                            .toList();
            medians[i] = values.isEmpty() ? Double.NaN : values.get(values.size() / 2);
        }
        return new Trend(what, figure, medians[0], medians[1], medians[2]);
    }

    @Override
    public void close() {
        csv.close();
    }
}
