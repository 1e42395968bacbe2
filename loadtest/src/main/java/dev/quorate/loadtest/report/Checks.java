package dev.quorate.loadtest.report;

import java.util.regex.Pattern;

/** What the records of a report do not accept. */
final class Checks {

    private static final Pattern FILE_NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,99}");

    private Checks() {}

    static void notNegative(String name, double value) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(name + " is no figure: " + value);
        }
    }

    static void positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, but is " + value);
        }
    }

    /** A part of a file name that leads to no other folder. */
    static void fileName(String name) {
        if (!FILE_NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'"
                            + name
                            + "' is no name of a scenario, which is 1 to 100 lower-case letters,"
                            + " digits and hyphens");
        }
    }
}
