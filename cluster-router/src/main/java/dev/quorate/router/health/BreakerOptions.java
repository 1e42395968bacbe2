package dev.quorate.router.health;

import dev.quorate.router.runtime.Requirements;
import java.time.Duration;

/**
 * The options of a breaker.
 *
 * @param failuresToOpen failed exchanges in a row that open it. Lower: a peer that drops one
 *     connection is avoided for a moment. Higher: more operations wait for a dead peer. The default
 *     is 3.
 * @param silenceToOpen how long the peer must be silent for late answers to count: a slow peer is
 *     not dead. Longer: more operations wait for a peer that hangs. The default is 1 s.
 * @param suspicion how long operations that cannot succeed without it are still sent to a silent,
 *     late peer. Longer: they wait for their deadlines if it is dead. Shorter: they fail if it is
 *     only slow. The default is 10 s.
 * @param firstBackoff time from opening to the first probe. The default is 100 ms.
 * @param maxBackoff the maximum time between two probes; each failed probe doubles the time.
 *     Longer: a returning peer is used later. The default is 2 s.
 */
public record BreakerOptions(
        int failuresToOpen,
        Duration silenceToOpen,
        Duration suspicion,
        Duration firstBackoff,
        Duration maxBackoff) {

    public BreakerOptions {
        new Requirements()
                .require(failuresToOpen >= 1, "failuresToOpen must be at least 1")
                .require(!silenceToOpen.isNegative(), "silenceToOpen must not be negative")
                .require(!suspicion.isNegative(), "suspicion must not be negative")
                .require(firstBackoff.isPositive(), "firstBackoff must be positive")
                .require(
                        maxBackoff.compareTo(firstBackoff) >= 0,
                        "maxBackoff must be at least firstBackoff")
                .check();
    }

    public static BreakerOptions defaults() {
        return new BreakerOptions(
                3,
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ofMillis(100),
                Duration.ofSeconds(2));
    }
}
