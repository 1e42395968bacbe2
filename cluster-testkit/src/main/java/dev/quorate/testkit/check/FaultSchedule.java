package dev.quorate.testkit.check;

import com.google.common.collect.ImmutableSet;
import dev.quorate.testkit.check.Fault.Cut.Link;
import dev.quorate.testkit.check.Fault.Cut.Manner;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Draws a schedule of faults from a seed. A pure function.
 *
 * <p>Faults are grouped in scenes, each of which ends its own faults. One scene in four begins
 * before the previous one has ended. Scenes target the states in which clusters fail: a node stops
 * when another has just returned, a node is killed while another is paused, a partition heals while
 * a node starts.
 */
final class FaultSchedule {

    private static final int MIN_SPAN_MILLIS = 200;
    private static final int SHORT_MILLIS = 1_500;
    private static final int LONG_MILLIS = 5_000;

    /** The approximate time that a node takes to start. */
    private static final int STARTING_MILLIS = 1_500;

    private enum Scene {
        KILL_ONE(FaultKind.KILL),
        KILL_IN_TURN(FaultKind.KILL),
        KILL_ALL(FaultKind.KILL),
        PAUSE_ONE(FaultKind.PAUSE),
        PAUSE_TWO(FaultKind.PAUSE),
        KILL_DURING_PAUSE(FaultKind.KILL, FaultKind.PAUSE),
        CUT_PAIR(FaultKind.PARTITION),
        CUT_ONE_WAY(FaultKind.PARTITION),
        ISOLATE(FaultKind.PARTITION),
        CUT_ALL(FaultKind.PARTITION),
        HEAL_DURING_RESTART(FaultKind.KILL, FaultKind.PARTITION),
        PAUSE_BEHIND_CUT(FaultKind.PAUSE, FaultKind.PARTITION),
        STRANGERS_AT_ONE(FaultKind.STRANGERS),
        STRANGERS_AT_ALL(FaultKind.STRANGERS),
        RESTART_AMONG_STRANGERS(FaultKind.KILL, FaultKind.STRANGERS);

        private final ImmutableSet<FaultKind> kinds;

        Scene(FaultKind... kinds) {
            this.kinds = ImmutableSet.copyOf(kinds);
        }
    }

    private final SplittableRandom random;
    private final List<String> nodes;
    private final List<Fault.Step> steps = new ArrayList<>();
    private long now;
    private long sceneEnds;

    private FaultSchedule(SplittableRandom random, List<String> nodes) {
        this.random = random;
        this.nodes = nodes;
    }

    /**
     * The steps, by time.
     *
     * @param kinds the faults to draw from; partitions need two nodes
     * @param millis the time by which all faults are healed
     */
    static List<Fault.Step> random(
            SplittableRandom random, List<String> nodes, Set<FaultKind> kinds, long millis) {
        List<Scene> scenes = new ArrayList<>();
        for (Scene scene : Scene.values()) {
            boolean isPossible = nodes.size() > 1 || !scene.kinds.contains(FaultKind.PARTITION);
            if (isPossible && kinds.containsAll(scene.kinds)) {
                scenes.add(scene);
            }
        }
        List<Fault.Step> all = new ArrayList<>();
        long begin = Math.min(1_000, millis / 10);
        while (!scenes.isEmpty() && begin < millis) {
            FaultSchedule one = new FaultSchedule(random, nodes);
            one.now = begin;
            one.play(scenes.get(random.nextInt(scenes.size())));
            if (one.sceneEnds <= millis) {
                all.addAll(one.steps);
            } else {
                one.sceneEnds = begin; // does not fit: try another
            }
            // Every fourth scene overlaps the previous one.
            begin =
                    random.nextInt(4) == 0
                            ? begin + MIN_SPAN_MILLIS + random.nextInt(SHORT_MILLIS)
                            : one.sceneEnds + random.nextInt(SHORT_MILLIS, LONG_MILLIS);
        }
        all.sort(Comparator.comparingLong(Fault.Step::millis));
        return List.copyOf(all);
    }

    private void play(Scene scene) {
        List<String> drawn = shuffled();
        String one = drawn.getFirst();
        String other = drawn.getLast();
        switch (scene) {
            case KILL_ONE -> killDuring(one, span());
            case KILL_IN_TURN -> {
                killDuring(one, span());
                // The second kill is before, during or after the restart of the first node.
                later(random.nextInt(2 * STARTING_MILLIS));
                killDuring(other, span());
            }
            case KILL_ALL -> {
                drawn.forEach(node -> begin(new Fault.Kill(node)));
                later(random.nextInt(SHORT_MILLIS));
                for (String node : shuffled()) {
                    end(new Fault.Kill(node));
                    later(random.nextInt(SHORT_MILLIS));
                }
            }
            case PAUSE_ONE -> pauseDuring(one, this::laterBySpan);
            case PAUSE_TWO ->
                    pauseDuring(
                            one,
                            () -> {
                                later(random.nextInt(SHORT_MILLIS));
                                pauseDuring(other, this::laterBySpan);
                                later(random.nextInt(SHORT_MILLIS));
                            });
            case KILL_DURING_PAUSE ->
                    pauseDuring(
                            one,
                            () -> {
                                later(span());
                                begin(new Fault.Kill(random.nextBoolean() ? one : other));
                                later(random.nextInt(SHORT_MILLIS));
                            });
            case CUT_PAIR -> cutDuring(bothWays(one, other), this::laterBySpan);
            case CUT_ONE_WAY -> cutDuring(Set.of(new Link(one, other)), this::laterBySpan);
            case ISOLATE -> cutDuring(around(one), this::laterBySpan);
            case CUT_ALL -> cutDuring(everywhere(), this::laterBySpan);
            case HEAL_DURING_RESTART ->
                    cutDuring(
                            around(random.nextBoolean() ? one : other),
                            () -> {
                                later(span());
                                killDuring(one, random.nextInt(SHORT_MILLIS));
                                later(random.nextInt(2 * STARTING_MILLIS));
                            });
            case PAUSE_BEHIND_CUT ->
                    cutDuring(
                            around(one),
                            () -> {
                                later(random.nextInt(SHORT_MILLIS));
                                pauseDuring(other, this::laterBySpan);
                            });
            case STRANGERS_AT_ONE -> floodDuring(List.of(one), this::laterBySpan);
            case STRANGERS_AT_ALL -> floodDuring(nodes, this::laterBySpan);
            case RESTART_AMONG_STRANGERS ->
                    floodDuring(
                            nodes,
                            () -> {
                                killDuring(one, random.nextInt(SHORT_MILLIS));
                                later(random.nextInt(2 * STARTING_MILLIS));
                            });
        }
        // Restarts nodes killed in the scene; has no effect on a running node.
        List.of(one, other).forEach(node -> end(new Fault.Kill(node)));
        sceneEnds = now;
    }

    private void killDuring(String node, long millis) {
        during(new Fault.Kill(node), () -> later(millis));
    }

    private void floodDuring(List<String> at, Runnable scene) {
        at.forEach(node -> begin(new Fault.Strangers(node)));
        scene.run();
        at.forEach(node -> end(new Fault.Strangers(node)));
    }

    private void pauseDuring(String node, Runnable scene) {
        during(new Fault.Pause(node), scene);
    }

    private void cutDuring(Set<Link> links, Runnable scene) {
        List<Manner> manners = List.of(Manner.values());
        during(new Fault.Cut(links, manners.get(random.nextInt(manners.size()))), scene);
    }

    private void during(Fault fault, Runnable scene) {
        begin(fault);
        scene.run();
        end(fault);
    }

    private void begin(Fault fault) {
        steps.add(new Fault.Step(now, fault, true));
    }

    private void end(Fault fault) {
        steps.add(new Fault.Step(now, fault, false));
    }

    private void later(long millis) {
        now += millis;
    }

    private void laterBySpan() {
        later(span());
    }

    /** A duration in ms: mostly short, sometimes longer than any request timeout. */
    private long span() {
        int most = random.nextInt(3) == 0 ? LONG_MILLIS : SHORT_MILLIS;
        return random.nextInt(MIN_SPAN_MILLIS, most);
    }

    private List<String> shuffled() {
        List<String> shuffled = new ArrayList<>(nodes);
        Collections.shuffle(shuffled, new Random(random.nextLong()));
        return shuffled;
    }

    private static Set<Link> bothWays(String one, String other) {
        return Set.of(new Link(one, other), new Link(other, one));
    }

    private Set<Link> around(String node) {
        Set<Link> links = new HashSet<>();
        for (String other : nodes) {
            if (!other.equals(node)) {
                links.addAll(bothWays(node, other));
            }
        }
        return links;
    }

    private Set<Link> everywhere() {
        Set<Link> links = new HashSet<>();
        nodes.forEach(node -> links.addAll(around(node)));
        return links;
    }
}
