package dev.quorate.testkit.history.offenders;

import dev.quorate.storage.Timestamp;

/** Breaks a rule on purpose. */
public final class UsesTheProduct {

    Timestamp newest() {
        return Timestamp.ZERO;
    }
}
