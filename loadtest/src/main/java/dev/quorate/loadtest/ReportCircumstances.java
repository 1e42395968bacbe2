package dev.quorate.loadtest;

import dev.quorate.loadtest.report.Circumstances;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The part of a report on the machine and the method. */
final class ReportCircumstances implements Supplier<Circumstances> {

    private static final double GIB = 1L << 30;

    private final Map<String, String> values;
    private final Optional<ProcessorTime> begin;

    private ReportCircumstances(Map<String, String> values, Optional<ProcessorTime> begin) {
        this.values = values;
        this.begin = begin;
    }

    /** As they are now, and have been since the beginning. */
    @Override
    public Circumstances get() {
        Map<String, String> all = new LinkedHashMap<>(values);
        begin.flatMap(before -> ProcessorTime.now().flatMap(now -> now.stolenSince(before)))
                .ifPresent(stolen -> all.put("Processor time taken by the host", stolen));
        return new Circumstances(all);
    }

    static ReportCircumstances of(Path data, @Nullable String url, Map<String, String> how)
            throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        if (url == null) {
            values.put("Cluster", "started for this report, without data before");
            values.put("Data on", Files.getFileStore(data).type());
            values.put("Heap of a node", System.getenv().getOrDefault("QUORATE_HEAP", "128m"));
        } else {
            values.put("Cluster", url);
        }
        values.put(
                "Processors",
                Runtime.getRuntime().availableProcessors()
                        + (url == null
                                ? ", for the nodes and the load generator together"
                                : ", for the load generator"));
        values.put("Memory", memory());
        values.put(
                "System",
                System.getProperty("os.name")
                        + " "
                        + System.getProperty("os.version")
                        + ", "
                        + System.getProperty("os.arch"));
        values.put("Java", Runtime.version().toString());
        values.putAll(how);
        return new ReportCircumstances(values, ProcessorTime.now());
    }

    private static String memory() {
        if (ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system) {
            return String.format(Locale.ROOT, "%.1f GiB", system.getTotalMemorySize() / GIB);
        }
        return "not known";
    }
}
