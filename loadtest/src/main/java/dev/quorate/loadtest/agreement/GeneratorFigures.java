package dev.quorate.loadtest.agreement;

import java.util.List;

/**
 * The same figure of several runs.
 *
 * @param sorted at least one
 */
public record GeneratorFigures(List<Double> sorted) {

    public GeneratorFigures {
        if (sorted.isEmpty()) {
            throw new IllegalArgumentException("no figures");
        }
        sorted = sorted.stream().sorted().toList();
    }

    double least() {
        return sorted.getFirst();
    }

    double most() {
        return sorted.getLast();
    }

    /** The median; of an even number, between the two in the middle. */
    double middle() {
        int half = sorted.size() / 2;
        return (sorted.get(half) + sorted.get((sorted.size() - 1) / 2)) / 2;
    }
}
