package dev.quorate.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The network between the nodes. It does not affect clients: an isolated node still answers them.
 *
 * <p>Each direction between two nodes is independent: a request of n1 to n2 uses the direction from
 * 1 to 2, its answer the direction from 2 to 1. The sender of a lost message waits until its
 * timeout, as over TCP. Nodes are numbered from 1.
 */
public final class TestNetwork {

    private final int nodes;
    private final FaultLog log;
    private final List<Direction> directions = new ArrayList<>();

    TestNetwork(int nodes, long seed, FaultLog log) {
        this.nodes = nodes;
        this.log = log;
        SplittableRandom random = new SplittableRandom(seed);
        for (int from = 1; from <= nodes; from++) {
            for (int to = 1; to <= nodes; to++) {
                directions.add(new Direction(from, to, random.split()));
            }
        }
    }

    Direction direction(int from, int to) {
        return directions.get((requireNode(from) - 1) * nodes + requireNode(to) - 1);
    }

    int requireNode(int number) {
        if (number < 1 || number > nodes) {
            throw new IllegalArgumentException(
                    "There is no node " + number + "; they are 1 to " + nodes + ".");
        }
        return number;
    }

    /**
     * Cuts these nodes off from all others, in both directions. They still reach each other: of
     * three nodes, {@code partition(1)} leaves a minority of one and a majority of two.
     */
    public void partition(int... oneSide) {
        Set<Integer> side = sides(oneSide);
        change(
                "cut off from the others: " + side,
                each -> side.contains(each.from()) != side.contains(each.to()),
                Direction::cut);
    }

    /** Cuts {@code oneSide} off from all others except the bridge, in both directions. */
    public void bridge(int bridge, int... oneSide) {
        requireNode(bridge);
        Set<Integer> side = sides(oneSide);
        change(
                "n" + bridge + " is the only bridge between " + side + " and the others",
                each ->
                        each.from() != bridge
                                && each.to() != bridge
                                && side.contains(each.from()) != side.contains(each.to()),
                Direction::cut);
    }

    private Set<Integer> sides(int... numbers) {
        return Arrays.stream(numbers).map(this::requireNode).boxed().collect(Collectors.toSet());
    }

    /** The directions from a node, such as {@code from(1).to(2)} or {@code from(1).toAll()}. */
    public From from(int node) {
        return new From(requireNode(node));
    }

    public Ways everywhere() {
        return new Ways("everywhere", _ -> true);
    }

    /** Ends all faults. Lost messages are not delivered. */
    public void heal() {
        change("the network is healed", _ -> true, Direction::heal);
    }

    private void change(String what, Predicate<Direction> which, Consumer<Direction> how) {
        directions.stream().filter(each -> each.from() != each.to()).filter(which).forEach(how);
        log.record(what);
    }

    /** Whether two nodes reach each other in both directions. */
    boolean connects(int one, int other) {
        return !direction(one, other).isCut() && !direction(other, one).isCut();
    }

    /** The directions with faults, one a line. */
    @Override
    public String toString() {
        return directions.stream()
                .filter(each -> !each.troubles().isEmpty())
                .map(each -> "  " + each + ": " + each.troubles() + "\n")
                .collect(Collectors.joining());
    }

    /** See {@link #from}. */
    public final class From {
        private final int from;

        private From(int from) {
            this.from = from;
        }

        /** The directions to these nodes. */
        public Ways to(int... others) {
            Set<Integer> side = sides(others);
            return new Ways(
                    "n" + from + " to " + side,
                    each -> each.from() == from && side.contains(each.to()));
        }

        /** The directions to all other nodes. */
        public Ways toAll() {
            return to(IntStream.rangeClosed(1, nodes).toArray());
        }
    }

    /** Directions to inject faults into. Each call adds to their active faults. */
    public final class Ways {
        private final String name;
        private final Predicate<Direction> which;

        private Ways(String name, Predicate<Direction> which) {
            this.name = name;
            this.which = which;
        }

        private Ways set(String description, Consumer<Direction> how) {
            change(name + ": " + description, which, how);
            return this;
        }

        /** Delivers no message from now on. */
        public Ways cut() {
            return set("cut", Direction::cut);
        }

        /** Delays each message. */
        public Ways delay(Duration by) {
            return delay(by, by);
        }

        /** Delays each message by a random time in a range, which may reorder messages. */
        public Ways delay(Duration least, Duration most) {
            if (least.isNegative() || most.compareTo(least) < 0) {
                throw new IllegalArgumentException("a delay of " + least + " to " + most);
            }
            return set(
                    "messages are " + least + " to " + most + " late",
                    each -> each.setDelay(least, most));
        }

        /** Loses each message with a likelihood from 0 to 1. */
        public Ways drop(double likelihood) {
            return set(
                    "loses messages, likelihood " + requireLikelihood(likelihood),
                    each -> each.setLoss(likelihood));
        }

        /** Delivers each request twice with a likelihood from 0 to 1. Answers arrive once. */
        public Ways duplicate(double likelihood) {
            return set(
                    "repeats messages, likelihood " + requireLikelihood(likelihood),
                    each -> each.setRepetition(likelihood));
        }

        /** Ends all faults. */
        public Ways heal() {
            return set("healed", Direction::heal);
        }

        private static double requireLikelihood(double likelihood) {
            if (!(likelihood >= 0 && likelihood <= 1)) {
                throw new IllegalArgumentException("a likelihood of " + likelihood);
            }
            return likelihood;
        }
    }
}
