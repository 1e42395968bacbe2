package dev.quorate.testkit.history.offenders;

import dev.quorate.storage.Timestamp;

/** Breaks a rule on purpose. */
public final class KnowsWhatItJudges {

    Timestamp newest() {
        return Timestamp.ZERO;
    }
}
