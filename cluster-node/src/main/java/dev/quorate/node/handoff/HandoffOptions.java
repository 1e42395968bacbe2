package dev.quorate.node.handoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How writes are kept for replicas that were away.
 *
 * @param window how long after it was stamped a write is still sent; zero keeps none. Longer: more
 *     disk is needed for a replica that stays away. It has to be shorter than tombstones are kept,
 *     which is for ever.
 * @param bytesPerTarget what is kept for one replica; what comes beyond that is dropped. Counted
 *     roughly: a key that is written again counts again, until it is counted anew.
 * @param bytesPerSecond what is sent to one replica in a second; 0 for no limit. More: a replica
 *     that is back is behind for a shorter time, and slower meanwhile.
 * @param hintBytes the largest write that is kept, as it must fit into memory a few times.
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

    /** Whether anything is kept at all. */
    boolean isEnabled() {
        return window.isPositive() && bytesPerTarget > 0;
    }
}
