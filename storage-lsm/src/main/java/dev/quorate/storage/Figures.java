package dev.quorate.storage;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;

/**
 * The figures of a store or a node. The class that counts a figure registers it, with the name and
 * the help text of its metric: in base units (bytes, seconds), and without the prefix {@code
 * quorate_} and the suffix {@code _total}. Thread-safe.
 */
public final class Figures {

    /**
     * One figure.
     *
     * @param isCounter whether it only grows while the store or the node is open
     * @param value its current value; NaN if it has none
     * @param labels alternating names and values
     */
    public record Figure(
            String name,
            String help,
            boolean isCounter,
            DoubleSupplier value,
            List<String> labels) {

        public Figure {
            labels = List.copyOf(labels);
        }

        /** The name, followed by the labels, separated by blanks. */
        public String fullName() {
            return labels.isEmpty() ? name : name + " " + String.join(" ", labels);
        }
    }

    private final List<Figure> all = new CopyOnWriteArrayList<>();

    /** Registers a number that only grows. */
    public void counter(String name, String help, DoubleSupplier value, String... labels) {
        all.add(new Figure(name, help, true, value, List.of(labels)));
    }

    /** Registers a number that goes up and down. */
    public void gauge(String name, String help, DoubleSupplier value, String... labels) {
        all.add(new Figure(name, help, false, value, List.of(labels)));
    }

    /** Registers the current figures of {@code others}. */
    public void addAll(Figures others) {
        all.addAll(others.all);
    }

    public List<Figure> all() {
        return List.copyOf(all);
    }

    /**
     * The current value of one figure.
     *
     * @throws IllegalArgumentException if no figure has this name and these labels
     */
    public double value(String name, String... labels) {
        List<String> wanted = List.of(labels);
        for (Figure each : all) {
            if (each.name.equals(name) && each.labels.equals(wanted)) {
                return each.value.getAsDouble();
            }
        }
        throw new IllegalArgumentException("no figure is named " + name + wanted);
    }

    /** Like {@link #value}, for a figure that is a whole number. */
    public long count(String name, String... labels) {
        return (long) value(name, labels);
    }

    /** A copy with the current values. */
    public Figures snapshot() {
        Figures snapshot = new Figures();
        for (Figure each : all) {
            double now = each.value.getAsDouble();
            snapshot.all.add(
                    new Figure(each.name, each.help, each.isCounter, () -> now, each.labels));
        }
        return snapshot;
    }
}
