package dev.quorate.node.handoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The options of hinted handoff.
 *
 * @param window how long after its timestamp a write is still sent; zero disables hints. Longer:
 *     more disk is needed for a replica that stays away.
 * @param bytesPerTarget the most hints for one replica; more are dropped. An estimate: a key that
 *     is written again counts again until the next survey.
 * @param bytesPerSecond the most that is sent to one replica in a second; 0 for no limit. More: a
 *     returning replica catches up sooner, and is slower meanwhile.
 * @param hintBytes the largest write that gets a hint: it must fit into memory a few times.
 */
public record HandoffOptions(
        Duration window, long bytesPerTarget, long bytesPerSecond, long hintBytes) {

    public HandoffOptions {
        List<String> violations = new ArrayList<>();
        if (window.isNegative()) {
            violations.add("window must not be negative");
        }
        if (bytesPerTarget < 0) {
            violations.add("bytesPerTarget must not be negative");
        }
        if (bytesPerSecond < 0) {
            violations.add("bytesPerSecond must not be negative");
        }
        if (hintBytes < 1) {
            violations.add("hintBytes must be at least 1");
        }
        if (!violations.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", violations));
        }
    }

    /** Whether hints are stored at all. */
    boolean isEnabled() {
        return window.isPositive() && bytesPerTarget > 0;
    }
}
