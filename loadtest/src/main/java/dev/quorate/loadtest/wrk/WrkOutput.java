package dev.quorate.loadtest.wrk;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Spectrum;
import java.math.BigDecimal;
import java.text.ParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what {@code wrk --latency} prints; wrk2 prints nearly the same. */
final class WrkOutput {

    private static final double MICROS_PER_MILLI = 1_000;
    private static final int FLAGS = Pattern.MULTILINE;

    /** The heading of what only wrk2 prints. */
    private static final String DETAILS = "Detailed Percentile spectrum:";

    /** Shares without whose latency a run is not compared to others. */
    private static final List<Double> NEEDED = List.of(0.5, 0.99, 0.999, 1.0);

    private static final String NUMBER = "(\\d+(?:\\.\\d+)?)";
    private static final Pattern REQUESTS = Pattern.compile("^ +(\\d+) requests in ", FLAGS);
    private static final Pattern RATE = Pattern.compile("^Requests/sec: +" + NUMBER + "$", FLAGS);
    private static final Pattern PERCENTILE =
            Pattern.compile("^ *" + NUMBER + "% +" + NUMBER + "(us|ms|s|m|h) *$", FLAGS);
    private static final Pattern MEAN =
            Pattern.compile(
                    "^ +Latency +" + NUMBER + "(us|ms|s|m|h) +" + NUMBER + "(us|ms|s|m|h) ", FLAGS);
    private static final Pattern SOCKET_ERRORS =
            Pattern.compile(
                    "^ +Socket errors: connect (\\d+), read (\\d+), write (\\d+), timeout (\\d+)$",
                    FLAGS);
    private static final Pattern STATUS_ERRORS =
            Pattern.compile("^ +Non-2xx or 3xx responses: (\\d+)$", FLAGS);
    private static final Pattern ANSWERS = Pattern.compile("^Answers by status: (.*)$", FLAGS);
    private static final Pattern STRANGE_BODIES =
            Pattern.compile("^Bodies that no key has: (\\d+)$", FLAGS);

    /** Of our script, since wrk itself stops at 99 of a hundred. */
    private static final Pattern SCRIPT_PERCENTILE =
            Pattern.compile("^Latency of " + NUMBER + "%: " + NUMBER + " us$", FLAGS);

    private static final Pattern EVERY_KEY = Pattern.compile("^Every key was answered\\.$", FLAGS);
    private static final Pattern ANSWER = Pattern.compile("(\\d+)=(\\d+)");

    private final String text;

    private WrkOutput(String text) {
        this.text = text;
    }

    /**
     * Reads the output of one run.
     *
     * @throws CommandException if it is not that of a run that came to its end
     */
    static LoadResult parse(String text) throws CommandException {
        WrkOutput output = new WrkOutput(text);
        long requests = Long.parseLong(output.find(REQUESTS).group(1));
        return new LoadResult(
                requests,
                Double.parseDouble(output.find(RATE).group(1)),
                output.spectrum(requests),
                List.of(),
                output.sum(SOCKET_ERRORS),
                output.sum(STATUS_ERRORS),
                output.answers(),
                output.sum(STRANGE_BODIES),
                EVERY_KEY.matcher(text).find());
    }

    private Matcher find(Pattern pattern) throws CommandException {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw complaint("did not come to its end");
        }
        return matcher;
    }

    /**
     * All that was printed of how long the answers took: by wrk2 the whole spectrum, and a few
     * percentiles of it more exactly; by wrk a few, and by our script the others that are needed.
     */
    private Spectrum spectrum(long count) throws CommandException {
        Spectrum spectrum;
        if (text.contains(DETAILS)) {
            try {
                spectrum = Spectrum.parse(text);
            } catch (ParseException e) {
                throw complaint("printed a spectrum that cannot be read: " + e.getMessage());
            }
        } else {
            Matcher latency = MEAN.matcher(text);
            if (!latency.find()) {
                throw complaint("printed no mean latency");
            }
            spectrum =
                    new Spectrum(
                            List.of(),
                            Double.parseDouble(latency.group(1)) * millisIn(latency.group(2)),
                            Double.parseDouble(latency.group(3)) * millisIn(latency.group(4)),
                            0,
                            count);
        }
        Map<Double, Double> printed = percentiles();
        for (Map.Entry<Double, Double> each : printed.entrySet()) {
            spectrum = spectrum.with(each.getKey(), each.getValue());
        }
        for (double share : NEEDED) {
            if (!printed.containsKey(share)) {
                throw complaint("printed no percentile of " + 100 * share);
            }
        }
        return spectrum;
    }

    /** Milliseconds by share. */
    private Map<Double, Double> percentiles() {
        Map<Double, Double> printed = new TreeMap<>();
        Matcher matcher = PERCENTILE.matcher(text);
        while (matcher.find()) {
            printed.put(
                    share(matcher.group(1)),
                    Double.parseDouble(matcher.group(2)) * millisIn(matcher.group(3)));
        }
        matcher = SCRIPT_PERCENTILE.matcher(text);
        while (matcher.find()) {
            printed.putIfAbsent(
                    share(matcher.group(1)),
                    Double.parseDouble(matcher.group(2)) / MICROS_PER_MILLI);
        }
        return printed;
    }

    /** 0.999 of "99.9", and nothing beside it. */
    private static double share(String percentile) {
        return new BigDecimal(percentile).movePointLeft(2).doubleValue();
    }

    private CommandException complaint(String what) {
        return new CommandException("wrk " + what + "; it said: " + text.strip());
    }

    private static double millisIn(String unit) {
        return switch (unit) {
            case "us" -> 0.001;
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> throw new IllegalArgumentException("no unit of time: " + unit);
        };
    }

    /** The sum of all groups; 0 if the line is missing, as in wrk's output without errors. */
    private long sum(Pattern pattern) {
        Matcher matcher = pattern.matcher(text);
        long sum = 0;
        if (matcher.find()) {
            for (int group = 1; group <= matcher.groupCount(); group++) {
                sum += Long.parseLong(matcher.group(group));
            }
        }
        return sum;
    }

    private Map<Integer, Long> answers() {
        Map<Integer, Long> answers = new HashMap<>();
        Matcher line = ANSWERS.matcher(text);
        if (line.find()) {
            Matcher answer = ANSWER.matcher(line.group(1));
            while (answer.find()) {
                answers.put(Integer.valueOf(answer.group(1)), Long.valueOf(answer.group(2)));
            }
        }
        return answers;
    }
}
