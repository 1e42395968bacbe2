package dev.quorate.node.handoff;

import dev.quorate.router.runtime.Requirements;
import java.time.Duration;

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
        new Requirements()
                .require(!window.isNegative(), "window must not be negative")
                .require(bytesPerTarget >= 0, "bytesPerTarget must not be negative")
                .require(bytesPerSecond >= 0, "bytesPerSecond must not be negative")
                .require(hintBytes >= 1, "hintBytes must be at least 1")
                .check();
    }

    /** Whether hints are stored at all. */
    boolean isEnabled() {
        return window.isPositive() && bytesPerTarget > 0;
    }
}
