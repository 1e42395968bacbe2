package dev.quorate.testkit.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

/**
 * All that a history is a function of, beside the code.
 *
 * @param seed any number
 * @param length how long clients work and things break, in virtual time
 * @param faults what may be broken; what is left out is left out of the draw
 * @param withoutStrikes the numbers, from 1, of strikes of the nemesis that do not happen
 * @param withoutRequests the numbers of requests that clients do not make
 * @param sabotage the mistake that the cluster makes
 * @param work what clients mostly do
 */
record Scenario(
        long seed,
        Duration length,
        Set<Fault> faults,
        Set<Integer> withoutStrikes,
        Set<Integer> withoutRequests,
        Sabotage sabotage,
        Workload.Kind work) {

    Scenario {
        faults = Set.copyOf(faults);
        withoutStrikes = Set.copyOf(withoutStrikes);
        withoutRequests = Set.copyOf(withoutRequests);
    }

    /** Long enough for all that waits to be over, clocks that ran ahead included. */
    private static final Duration PEACE = Duration.ofSeconds(15);

    /** And for tombstones to be dropped. */
    private static final Duration LONG_PEACE = Duration.ofSeconds(40);

    /** For how long everything is whole before each key is read. */
    Duration peace() {
        return work == Workload.Kind.DELETES ? LONG_PEACE : PEACE;
    }

    /** Everything may break, and the cluster makes no mistake. */
    static Scenario of(long seed, Duration length) {
        return new Scenario(
                seed,
                length,
                EnumSet.allOf(Fault.class),
                Set.of(),
                Set.of(),
                Sabotage.NONE,
                Workload.Kind.ANY);
    }

    Scenario withSabotage(Sabotage mistake) {
        return new Scenario(seed, length, faults, withoutStrikes, withoutRequests, mistake, work);
    }

    Scenario withFaults(Set<Fault> only) {
        return new Scenario(seed, length, only, withoutStrikes, withoutRequests, sabotage, work);
    }

    Scenario withLength(Duration other) {
        return new Scenario(seed, other, faults, withoutStrikes, withoutRequests, sabotage, work);
    }

    Scenario withoutStrikes(Set<Integer> more) {
        return new Scenario(
                seed, length, faults, union(withoutStrikes, more), withoutRequests, sabotage, work);
    }

    Scenario withoutRequests(Set<Integer> more) {
        return new Scenario(
                seed, length, faults, withoutStrikes, union(withoutRequests, more), sabotage, work);
    }

    Scenario withWork(Workload.Kind kind) {
        return new Scenario(seed, length, faults, withoutStrikes, withoutRequests, sabotage, kind);
    }

    private static Set<Integer> union(Set<Integer> some, Set<Integer> more) {
        Set<Integer> all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }
}
