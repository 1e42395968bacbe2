package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.node.handoff.HandoffStatistics.OfTarget;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Injects faults, drawn from the seed, and heals all of them at the end. */
final class Nemesis {

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Maximum bytes of a hint without its value. */
    private static final long HINT_OVERHEAD_BYTES = 100;

    private static final Set<SimulatedFault> LOSSES =
            Set.of(SimulatedFault.LOST_DISK, SimulatedFault.LOST_PART, SimulatedFault.OLD_COPY);

    private final Machines machines;
    private final SimulationInput scenario;
    private final List<SimulatedFault> faults;
    private final SplittableRandom random;
    private final long mostQuietNanos;

    /**
     * How many members a change adds at most. Two that lose their disks while they join would wait
     * for each other before they vote on topologies.
     */
    private final int mostJoining;

    /** The only node whose bits flip, so that a quorum of intact replicas remains. */
    private final SimulatedNode rotten;

    private final Strike.SimulatedRestart rolling;

    private final long mostHintBytes;

    private final Map<SimulatedFault, Integer> struck = new EnumMap<>(SimulatedFault.class);
    private final Set<Integer> made = new TreeSet<>();
    private boolean stopped;
    private int strikes;

    Nemesis(
            Machines machines,
            SplittableRandom random,
            NodeSettings settings,
            Workload workload,
            SimulationInput scenario) {
        this.mostHintBytes = mostCountedHintBytes(settings.hintBytes(), workload);
        this.machines = machines;
        this.random = random;
        this.scenario = scenario;
        Set<SimulatedFault> possible = possible(scenario.faults(), workload);
        boolean hasChanges = possible.contains(SimulatedFault.CHANGED_MEMBERS);
        this.mostJoining = workload.hasManyKeys() && hasChanges ? 2 : 1;
        this.faults = drawn(possible);
        this.mostQuietNanos = (500 * NANOS_PER_MILLI) << random.nextInt(5);
        this.rolling = new Strike.SimulatedRestart(machines, () -> stopped);
        this.rotten = machines.nodes.get(random.nextInt(machines.nodes.size()));
    }

    /**
     * Without faults that lose a disk if a write may have only one replica, and without changes of
     * members if a key has several {@code from}s (decision 0053).
     */
    private static Set<SimulatedFault> possible(Set<SimulatedFault> faults, Workload workload) {
        Set<SimulatedFault> possible = new HashSet<>(faults);
        if (!workload.outlivesADisk()) {
            possible.removeAll(LOSSES);
        }
        if (!workload.hasOneFrom()) {
            possible.remove(SimulatedFault.CHANGED_MEMBERS);
        }
        return possible;
    }

    /** Some faults; mostly changes of members if these are changed two at a time. */
    private List<SimulatedFault> drawn(Set<SimulatedFault> possible) {
        if (mostJoining < 2) {
            return some(possible, random);
        }
        possible.removeAll(LOSSES);
        List<SimulatedFault> some = some(possible, random);
        List<SimulatedFault> drawn = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            drawn.add(some.get(random.nextInt(some.size())));
            drawn.add(SimulatedFault.CHANGED_MEMBERS);
        }
        return drawn;
    }

    /**
     * A random half of the faults: some faults hide others, and some bugs need frequent faults of
     * one kind (Groce et al., <i>Swarm Testing</i>, 2012).
     */
    private static List<SimulatedFault> some(Set<SimulatedFault> faults, SplittableRandom random) {
        List<SimulatedFault> all = faults.stream().sorted().toList();
        List<SimulatedFault> some = all.stream().filter(fault -> random.nextBoolean()).toList();
        return some.isEmpty() ? all : some;
    }

    void start() {
        if (!faults.isEmpty()) {
            SplittableRandom next = random.split();
            machines.queue.after(random.nextLong(mostQuietNanos) + 1, () -> strike(next));
        }
    }

    /** Each strike draws from its own random source, so that omitting one changes no other. */
    private void strike(SplittableRandom own) {
        if (stopped) {
            return;
        }
        start();
        requireHintsWithinLimits();
        Operator.renewFormer(machines);
        strikes++;
        if (!scenario.withoutStrikes().contains(strikes)) {
            SimulatedFault fault = faults.get(own.nextInt(faults.size()));
            struck.merge(fault, 1, Integer::sum);
            made.add(strikes);
            new Strike(machines, rotten, rolling, own, mostJoining, () -> stopped).of(fault);
        }
    }

    /**
     * Maximum hint bytes that a node may report for one replica. A node accepts a hint while the
     * count, including the hint, is within the limit. A recount reads all hints, at most one for
     * each key, including uncounted hints of an earlier life. It may count hints twice that were
     * stored meanwhile, and hints that were sent but whose removal could not be recorded. Each of
     * these two excesses is at most the limit.
     */
    private static long mostCountedHintBytes(long limit, Workload workload) {
        long longest = Math.min(limit, workload.sizes().mostBytes() + HINT_OVERHEAD_BYTES);
        return 2 * limit + workload.keys() * longest;
    }

    private void requireHintsWithinLimits() {
        for (SimulatedNode node : machines.nodes) {
            NodeCore core = node.serving();
            if (core != null) {
                for (OfTarget target : core.handoff().statistics().targets()) {
                    if (target.pendingBytes() > mostHintBytes) {
                        machines.broken(node + " stores too many hints: " + target);
                    }
                }
            }
        }
    }

    Map<SimulatedFault, Integer> faultCounts() {
        return Map.copyOf(struck);
    }

    Set<Integer> strikes() {
        return made;
    }

    void healAll() {
        stopped = true;
        requireHintsWithinLimits();
        machines.record("all faults are healed");
        machines.network.heal();
        for (SimulatedNode node : machines.nodes) {
            node.setSkewMillis(0);
            node.disk().setCapacity(Long.MAX_VALUE);
            node.disk().failForce(-1);
            node.disk().beforeStep(step -> {});
            if (node.isPaused()) {
                node.resume();
            }
            node.start();
        }
    }
}
