package dev.quorate.loadtest;

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

/** The circumstances of a report: the machine and the method. */
record ReportCircumstances(Map<String, String> values, Optional<ProcessorTime> begin)
        implements Supplier<Map<String, String>> {

    private static final double GIB = 1L << 30;

    /** The circumstances, including the processor time stolen since the beginning. */
    @Override
    public Map<String, String> get() {
        Map<String, String> all = new LinkedHashMap<>(values);
        begin.flatMap(before -> ProcessorTime.now().flatMap(now -> now.stolenSince(before)))
                .ifPresent(stolen -> all.put("Processor time taken by the host", stolen));
        return all;
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
                "%s %s, %s"
                        .formatted(
                                System.getProperty("os.name"),
                                System.getProperty("os.version"),
                                System.getProperty("os.arch")));
        values.put("Java", Runtime.version().toString());
        values.putAll(how);
        return new ReportCircumstances(values, ProcessorTime.now());
    }

    private static String memory() {
        if (ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system) {
            return String.format(Locale.ROOT, "%.1f GiB", system.getTotalMemorySize() / GIB);
        }
        return "unknown";
    }

    /**
     * The processor time of this machine since its start, in ticks, from {@code /proc/stat} of
     * Linux.
     *
     * @param total all time, including idle and stolen time
     * @param stolen the time that the host of a virtual machine gave to others
     */
    record ProcessorTime(long total, long stolen) {

        /** user (with guest), nice, system, idle, iowait, irq, softirq, steal. */
        private static final int COUNTS = 8;

        /** The time of this machine; empty on systems without such a file. */
        static Optional<ProcessorTime> now() {
            try {
                return parse(Files.readString(Path.of("/proc/stat")));
            } catch (IOException e) {
                return Optional.empty();
            }
        }

        static Optional<ProcessorTime> parse(String stat) {
            String[] fields = stat.lines().findFirst().orElse("").split(" +", -1);
            if (fields.length <= COUNTS || !fields[0].equals("cpu")) {
                return Optional.empty();
            }
            long total = 0;
            for (int i = 1; i <= COUNTS; i++) {
                if (!fields[i].matches("[0-9]{1,18}")) {
                    return Optional.empty();
                }
                total += Long.parseLong(fields[i]);
            }
            return Optional.of(new ProcessorTime(total, Long.parseLong(fields[COUNTS])));
        }

        /** The share of stolen time since {@code before}, such as {@code 1.5 %}. */
        Optional<String> stolenSince(ProcessorTime before) {
            long ticks = total - before.total;
            return ticks <= 0
                    ? Optional.empty()
                    : Optional.of(
                            String.format(
                                    Locale.ROOT,
                                    "%.1f %%",
                                    100.0 * (stolen - before.stolen) / ticks));
        }
    }
}
