package dev.quorate.router.health;

import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.runtime.DurationCounts;

/**
 * A snapshot of a peer, as this node sees it, for metrics and people.
 *
 * @param member the peer's name
 * @param standing its state, as this node sees it
 * @param sinceMillis the start of this state, in milliseconds since 1970; 0 if {@code UNKNOWN}
 * @param lastError the reason of the last failed exchange; empty if none failed
 * @param asked whether operations are sent to it, which its breaker decides
 * @param outstandingOperations operations queued for it or in flight
 * @param outstandingBytes bytes of these operations
 * @param exchanges exchanges sent to it since this node started, without probes
 * @param operations operations sent in these exchanges
 * @param clockAheadMillis how far its clock was ahead of this machine's wall clock when it last
 *     answered
 * @param exchangeTimes durations of answered exchanges of reads and writes
 * @param queueTimes durations for which reads and writes were queued
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
