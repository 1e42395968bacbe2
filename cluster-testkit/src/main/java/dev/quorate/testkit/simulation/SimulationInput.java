package dev.quorate.testkit.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

/**
 * The input of a simulation. With the code, it determines the history.
 *
 * @param length the virtual time in which clients work and faults are injected
 * @param withoutStrikes the numbers, from 1, of strikes to omit
 * @param withoutRequests the numbers of requests to omit
 */
record SimulationInput(
        long seed,
        Duration length,
        Set<SimulatedFault> faults,
        Set<Integer> withoutStrikes,
        Set<Integer> withoutRequests,
        Behavior behavior,
        Workload.Kind work) {

    /** Long enough for all timeouts, and for other clocks to catch up with a fast one. */
    private static final Duration PEACE = Duration.ofSeconds(15);

    /** Long enough also to drop tombstones. */
    private static final Duration LONG_PEACE = Duration.ofSeconds(40);

    Duration quietPeriod() {
        return work == Workload.Kind.DELETES ? LONG_PEACE : PEACE;
    }

    /** All faults, and no bug. */
    static SimulationInput of(long seed, Duration length) {
        return new SimulationInput(
                seed,
                length,
                EnumSet.allOf(SimulatedFault.class),
                Set.of(),
                Set.of(),
                Behavior.CORRECT,
                Workload.Kind.ANY);
    }

    SimulationInput withBehavior(Behavior other) {
        return new SimulationInput(
                seed, length, faults, withoutStrikes, withoutRequests, other, work);
    }

    SimulationInput withFaults(Set<SimulatedFault> only) {
        return new SimulationInput(
                seed, length, only, withoutStrikes, withoutRequests, behavior, work);
    }

    SimulationInput withLength(Duration other) {
        return new SimulationInput(
                seed, other, faults, withoutStrikes, withoutRequests, behavior, work);
    }

    SimulationInput withoutStrikes(Set<Integer> more) {
        return new SimulationInput(
                seed, length, faults, union(withoutStrikes, more), withoutRequests, behavior, work);
    }

    SimulationInput withoutRequests(Set<Integer> more) {
        return new SimulationInput(
                seed, length, faults, withoutStrikes, union(withoutRequests, more), behavior, work);
    }

    SimulationInput withWork(Workload.Kind kind) {
        return new SimulationInput(
                seed, length, faults, withoutStrikes, withoutRequests, behavior, kind);
    }

    private static Set<Integer> union(Set<Integer> some, Set<Integer> more) {
        Set<Integer> all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }
}
