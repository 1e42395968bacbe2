package dev.quorate.loadtest.late;

import dev.quorate.loadtest.load.Span;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * When the hypervisor gave a part of the processors to others, by the first line of Linux's {@code
 * /proc/stat}. That counts hundredths of a second, so that short spans are seen only where they are
 * much.
 */
final class StolenTime {

    /** At least so much of the time of all processors. */
    private static final double LEAST_SHARE = 0.1;

    private static final int STEAL = 7;

    private record Sample(long nanos, long stolen, long all) {

        /** Of the line that is about all processors. */
        static Optional<Sample> of(long nanos, String procStat) {
            String[] words = procStat.lines().findFirst().orElse("").trim().split(" +");
            if (!words[0].equals("cpu") || words.length <= STEAL + 1) {
                return Optional.empty();
            }
            try {
                // What guests used, behind it, is in the other numbers already.
                long[] ticks =
                        Arrays.stream(words, 1, STEAL + 2).mapToLong(Long::parseLong).toArray();
                return Optional.of(new Sample(nanos, ticks[STEAL], Arrays.stream(ticks).sum()));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        boolean isStolenUntil(Sample next) {
            long allTicks = next.all - all;
            return allTicks > 0
                    && next.stolen - stolen >= allTicks * LEAST_SHARE
                    && next.stolen > stolen;
        }
    }

    private final List<Span> spans = new ArrayList<>();
    private Optional<Sample> last = Optional.empty();

    /**
     * Takes what the file contains now.
     *
     * @param nanos since the epoch
     */
    synchronized void take(long nanos, String procStat) {
        Optional<Sample> next = Sample.of(nanos, procStat);
        if (last.isPresent() && next.isPresent() && last.get().isStolenUntil(next.get())) {
            spans.add(new Span(last.get().nanos(), nanos));
        }
        last = next;
    }

    /** Spans between two samples in which much was stolen. */
    synchronized List<Span> spans() {
        return List.copyOf(spans);
    }
}
