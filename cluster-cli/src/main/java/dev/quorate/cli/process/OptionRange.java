package dev.quorate.cli.process;

import java.util.Optional;

/** Validates numbers of the command line. */
public final class OptionRange {

    private OptionRange() {}

    /** The error message for a value outside {@code least} to {@code most}. */
    public static Optional<String> violation(String option, long value, long least, long most) {
        return value >= least && value <= most
                ? Optional.empty()
                : Optional.of(
                        "%s must be %d to %d, but is %d.".formatted(option, least, most, value));
    }
}
