package dev.quorate.loadtest.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.harness.CommandException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How often a node has answered requests with which status, by its own count.
 *
 * <p>The load generator does not count in the runs that are timed, and takes every 404 for an
 * error; the node counts always.
 */
final class AnswerCounts {

    private static final Pattern LINE =
            Pattern.compile(
                    "^quorate_http_request_duration_seconds_count\\{([^}]*)} ([0-9.E+]+)$",
                    Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("\\bcode=\"(\\d+)\"");
    private static final Pattern OPERATION =
            Pattern.compile("\\bop=\"(get|put|delete|scan|status)\"");

    private static final Pattern UNDER_WAY =
            Pattern.compile("^quorate_http_requests_in_flight ([0-9.E+]+)$", Pattern.MULTILINE);

    /** Each poll costs the node a part of a millisecond, and an operation ends within seconds. */
    private static final int MAX_POLLS = 20_000;

    /** Half a minute: nothing waits for longer. */
    private static final int MAX_PAUSES = 100;

    private final Map<Integer, Long> byStatus;

    private AnswerCounts(Map<Integer, Long> byStatus) {
        this.byStatus = byStatus;
    }

    /**
     * Asks the node at that address, until nothing is under way there and nothing more is answered:
     * what the load generator no longer waited for when its time was over is counted with its own
     * run, and not with the next. Large bodies that wait for memory are not under way yet.
     */
    static AnswerCounts of(Probe probe, String url)
            throws CommandException, RefusedFigureException {
        @Nullable AnswerCounts last = null;
        int pauses = 0;
        for (int poll = 0; poll < MAX_POLLS && pauses < MAX_PAUSES; poll++) {
            String metrics = metrics(probe, url);
            Matcher underWay = UNDER_WAY.matcher(metrics);
            if (!underWay.find() || Double.parseDouble(underWay.group(1)) == 0) {
                AnswerCounts counts = of(metrics);
                if (last != null && last.byStatus.equals(counts.byStatus)) {
                    return counts;
                }
                last = counts;
                probe.pause();
                pauses++;
            }
        }
        throw new RefusedFigureException("requests are under way though nobody sends any.");
    }

    private static String metrics(Probe probe, String url) throws CommandException {
        Probe.Answer answer = probe.get(url + "/metrics");
        if (answer.status() != 200) {
            throw new CommandException(
                    url + "/metrics was answered with status " + answer.status() + ".");
        }
        return new String(answer.body(), UTF_8);
    }

    private static AnswerCounts of(String metrics) {
        Map<Integer, Long> byStatus = new HashMap<>();
        Matcher line = LINE.matcher(metrics);
        while (line.find()) {
            Matcher code = CODE.matcher(line.group(1));
            if (OPERATION.matcher(line.group(1)).find() && code.find()) {
                long count = (long) Double.parseDouble(line.group(2));
                byStatus.merge(Integer.valueOf(code.group(1)), count, Long::sum);
            }
        }
        return new AnswerCounts(byStatus);
    }

    /** Answers since an earlier count, by status. */
    private Map<Integer, Long> since(AnswerCounts earlier) {
        Map<Integer, Long> more = new TreeMap<>();
        byStatus.forEach(
                (status, count) -> {
                    long difference = count - earlier.byStatus.getOrDefault(status, 0L);
                    if (difference != 0) {
                        more.put(status, difference);
                    }
                });
        return more;
    }

    /**
     * Requires that since an earlier count nothing was answered with another status.
     *
     * @param expected those that were to come; at least one of them has come
     * @param tolerated those that may have come as well
     * @return how many tolerated ones came
     */
    long requireOnly(Set<Integer> expected, Set<Integer> tolerated, AnswerCounts earlier)
            throws RefusedFigureException {
        Map<Integer, Long> more = since(earlier);
        long counted = 0;
        for (int status : tolerated) {
            Long count = more.remove(status);
            counted += count == null ? 0 : count;
        }
        if (more.isEmpty() || !expected.containsAll(more.keySet())) {
            throw new RefusedFigureException(
                    "the node was to answer with %s, and it counts: %s."
                            .formatted(RunCheck.describe(expected), RunCheck.describeCounts(more)));
        }
        return counted;
    }
}
