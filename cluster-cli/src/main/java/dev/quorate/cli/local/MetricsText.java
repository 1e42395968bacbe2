package dev.quorate.cli.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The samples of a page of metrics in the Prometheus text format. */
public record MetricsText(Map<String, List<Sample>> samples) {

    /** Longer lines are ignored: nodes have none. */
    private static final int MAX_LINE = 4_096;

    public static final MetricsText NONE = new MetricsText(Map.of());

    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)(?: [0-9]+)?");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"");

    public record Sample(Map<String, String> labels, double value) {

        /** The value of a label; empty if it is missing. */
        public String label(String name) {
            return labels.getOrDefault(name, "");
        }
    }

    /** Reads a page. Lines that are not samples are ignored. */
    public static MetricsText parse(String page) {
        Map<String, List<Sample>> samples = new HashMap<>();
        page.lines()
                .filter(line -> line.length() <= MAX_LINE)
                .map(SAMPLE::matcher)
                .filter(Matcher::matches)
                .forEach(sample -> add(samples, sample));
        return new MetricsText(samples);
    }

    private static void add(Map<String, List<Sample>> samples, Matcher sample) {
        double value;
        try {
            value = Double.parseDouble(sample.group(3));
        } catch (NumberFormatException e) {
            return;
        }
        Map<String, String> labels = new HashMap<>();
        if (sample.group(2) != null) {
            LABEL.matcher(sample.group(2))
                    .results()
                    .forEach(label -> labels.put(label.group(1), label.group(2)));
        }
        samples.computeIfAbsent(sample.group(1), _ -> new ArrayList<>())
                .add(new Sample(labels, value));
    }

    public List<Sample> all(String name) {
        return samples.getOrDefault(name, List.of());
    }

    /** The sum of a metric's samples; 0 if there are none. */
    public double sum(String name) {
        return all(name).stream().mapToDouble(Sample::value).sum();
    }
}
