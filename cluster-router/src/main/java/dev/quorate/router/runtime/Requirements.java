package dev.quorate.router.runtime;

import java.util.ArrayList;
import java.util.List;

/** Requirements on the parameters of a constructor. All violations are reported together. */
public final class Requirements {

    private final List<String> violations = new ArrayList<>();

    /** Adds a requirement, and the message if it does not hold. */
    public Requirements require(boolean holds, String message) {
        if (!holds) {
            violations.add(message);
        }
        return this;
    }

    /**
     * Checks all requirements.
     *
     * @throws IllegalArgumentException if any requirement does not hold
     */
    public void check() {
        if (!violations.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", violations));
        }
    }
}
