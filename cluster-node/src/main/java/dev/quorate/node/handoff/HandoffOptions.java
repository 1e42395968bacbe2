package dev.quorate.node.handoff;

import dev.quorate.router.runtime.Requirements;
import java.time.Duration;

/**
 * The options of hinted handoff.
 *
 * @param window maximum age of a write that is sent, by its timestamp; zero disables hints. Longer:
 *     more disk for a replica that remains down.
 * @param bytesPerTarget maximum size of the hints for one replica; more are dropped. An estimate:
 *     an overwritten key counts again until the next survey.
 * @param bytesPerSecond rate at which hints are sent to one replica; 0 for no limit. Higher: a
 *     returning replica catches up sooner, and is slower meanwhile.
 * @param hintBytes maximum size of a write with a hint: it must fit into memory a few times.
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
