package dev.quorate.loadtest.engine;

/**
 * One figure of a trial.
 *
 * @param name the same for each engine
 */
record Figure(String name, double value, String unit) {

    /** As a line that {@link #parse} reads. */
    String toLine() {
        return "figure\t" + name + "\t" + value + "\t" + unit;
    }

    static boolean isLine(String line) {
        return line.startsWith("figure\t");
    }

    static Figure parse(String line) {
        String[] parts = line.split("\t", -1);
        return new Figure(parts[1], Double.parseDouble(parts[2]), parts[3]);
    }
}
