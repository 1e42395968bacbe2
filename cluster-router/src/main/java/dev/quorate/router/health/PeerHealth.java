package dev.quorate.router.health;

import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.runtime.DurationCounts;

/**
 * A peer, as this node sees it at one moment: for metrics and people.
 *
 * @param member its name
 * @param standing its state, as this node sees it
 * @param sinceMillis since when, in milliseconds since 1970; 0 if {@code UNKNOWN}
 * @param lastError why the last failed exchange failed; empty if none did
 * @param asked whether operations are sent to it, which its breaker decides
 * @param outstandingOperations operations queued for it or in flight
 * @param outstandingBytes bytes of those
 * @param exchanges exchanges sent to it since this node started, without probes
 * @param operations operations sent in those
 * @param clockAheadMillis how far its clock was ahead of this machine's wall clock when it last
 *     answered
 * @param exchangeTimes how long exchanges of reads and writes have taken, of those answered
 * @param queueTimes how long reads and writes have waited for the exchange before theirs
 */
public record PeerHealth(
        String member,
        PeerStanding standing,
        long sinceMillis,
        String lastError,
        boolean asked,
        int outstandingOperations,
        long outstandingBytes,
        long exchanges,
        long operations,
        long clockAheadMillis,
        DurationCounts exchangeTimes,
        DurationCounts queueTimes) {}
