package dev.quorate.router.runtime;

import java.util.ArrayList;
import java.util.List;

/** What the parameters of a constructor must satisfy. All that are violated are named at once. */
public final class Requirements {

    private final List<String> violations = new ArrayList<>();

    /** Adds a requirement, and what it says if it does not hold. */
    public Requirements require(boolean holds, String message) {
        if (!holds) {
            violations.add(message);
        }
        return this;
    }

    /**
     * Ends the requirements.
     *
     * @throws IllegalArgumentException if any does not hold
     */
    public void check() {
        if (!violations.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", violations));
        }
    }
}
