package dev.quorate.loadtest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * The processor time of this machine since it started, as Linux counts it in {@code /proc/stat}.
 *
 * @param total all of it, idle and stolen time included, in ticks
 * @param stolen the time that the host of a virtual machine gave to others, in ticks
 */
record ProcessorTime(long total, long stolen) {

    /**
     * user, nice, system, idle, iowait, irq, softirq, steal; guest time is part of user and nice.
     */
    private static final int COUNTS = 8;

    private static final double PERCENT = 100;

    /** Of this machine; nothing where there is no such file, or it has other content. */
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
                                PERCENT * (stolen - before.stolen) / ticks));
    }
}
