package dev.quorate.loadtest.report.plot;

import java.util.List;

/**
 * Where a value stands in a drawing. Greater values never stand before smaller ones, and every
 * value, also one that is no number, stands between the axis's two ends.
 */
interface Axis {

    /**
     * A value that is written beside the axis.
     *
     * @param label what is written, or nothing where there is only a line
     */
    record Tick(double value, String label) {}

    /** The coordinate of a value. */
    double position(double value);

    /** From the least to the greatest. */
    List<Tick> ticks();

    /** The point at this part of the way between two coordinates, and never outside them. */
    static double between(double from, double to, double part) {
        double inside = Double.isNaN(part) ? 0 : Math.clamp(part, 0, 1);
        return from + (to - from) * inside;
    }
}
