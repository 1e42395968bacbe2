package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.node.handoff.HandoffStatistics.OfTarget;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Breaks one thing after the other, as the seed has it, and makes everything whole at the end. */
final class Nemesis {

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** More than the names of a key and a replica, and the rest of an entry, take in a hint. */
    private static final long HINT_OVERHEAD_BYTES = 100;

    private final EventQueue queue;
    private final SimulatedNetwork network;
    private final List<SimulatedNode> nodes;
    private final Scenario scenario;
    private final List<Fault> faults;
    private final Story story;
    private final SplittableRandom random;
    private final long mostQuietNanos;

    /** The one whose disk rots: a quorum of sound copies is left of everything. */
    private final SimulatedNode rotten;

    private final RollingRestart rolling;

    private final long mostHintBytes;

    private final Map<Fault, Integer> struck = new EnumMap<>(Fault.class);
    private boolean stopped;
    private int strikes;

    Nemesis(
            EventQueue queue,
            SimulatedNetwork network,
            List<SimulatedNode> nodes,
            SplittableRandom random,
            Story story,
            NodeSettings settings,
            Workload workload,
            Scenario scenario) {
        this.mostHintBytes = mostCountedHintBytes(settings.hintBytes(), workload);
        this.queue = queue;
        this.network = network;
        this.nodes = nodes;
        this.random = random;
        this.story = story;
        this.scenario = scenario;
        this.faults = some(possible(scenario.faults(), workload), random);
        this.mostQuietNanos = (500 * NANOS_PER_MILLI) << random.nextInt(5);
        this.rolling = new RollingRestart(queue, nodes, story, () -> stopped);
        this.rotten = nodes.get(random.nextInt(nodes.size()));
    }

    /** What only one replica has acknowledged is lost with its disk, by right. */
    private static Set<Fault> possible(Set<Fault> faults, Workload workload) {
        Set<Fault> possible = new HashSet<>(faults);
        if (!workload.outlivesADisk()) {
            possible.remove(Fault.LOST_DISK);
            possible.remove(Fault.LOST_PART);
            possible.remove(Fault.OLD_COPY);
        }
        return possible;
    }

    /**
     * About half of them: some faults hide others, and some show only where they come often (Groce
     * et al., <i>Swarm Testing</i>, 2012).
     */
    private static List<Fault> some(Set<Fault> faults, SplittableRandom random) {
        List<Fault> all = faults.stream().sorted().toList();
        List<Fault> some = all.stream().filter(fault -> random.nextBoolean()).toList();
        return some.isEmpty() ? all : some;
    }

    void start() {
        if (!faults.isEmpty()) {
            SplittableRandom next = random.split();
            queue.after(random.nextLong(mostQuietNanos) + 1, () -> strike(next));
        }
    }

    /** Each strike draws from a source of its own: to leave one out changes none of the others. */
    private void strike(SplittableRandom own) {
        if (stopped) {
            return;
        }
        start();
        requireHintsWithinLimits();
        strikes++;
        if (!scenario.withoutStrikes().contains(strikes)) {
            Fault fault = faults.get(own.nextInt(faults.size()));
            struck.merge(fault, 1, Integer::sum);
            story.strike(strikes);
            new Strike(queue, network, nodes, rotten, rolling, own, story, () -> stopped).of(fault);
        }
    }

    /**
     * The most that a node may say it keeps for one replica. It takes a write if what was counted
     * is, with that write, within the limit. But it also counts anew, by looking through all hints:
     * then the count is what it found (at most one hint for each key, none longer than the limit;
     * also those of an earlier life, of which some were not counted before), and what came
     * meanwhile, which may be counted twice. And what was sent is counted again if it cannot be
     * noted that it was. Of either of these two there is as much as the limit at most.
     */
    private static long mostCountedHintBytes(long limit, Workload workload) {
        long longest = Math.min(limit, workload.sizes().mostBytes() + HINT_OVERHEAD_BYTES);
        return 2 * limit + workload.keys() * longest;
    }

    private void requireHintsWithinLimits() {
        for (SimulatedNode node : nodes) {
            NodeCore core = node.serving();
            if (core != null) {
                for (OfTarget target : core.handoff().statistics().targets()) {
                    if (target.pendingBytes() > mostHintBytes) {
                        story.broken(node + " keeps too many hints: " + target);
                    }
                }
            }
        }
    }

    /** How often what was broken. */
    Map<Fault, Integer> struck() {
        return Map.copyOf(struck);
    }

    /** Stops, and makes everything whole. */
    void makePeace() {
        stopped = true;
        requireHintsWithinLimits();
        story.tell("everything is made whole");
        network.heal();
        for (SimulatedNode node : nodes) {
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
