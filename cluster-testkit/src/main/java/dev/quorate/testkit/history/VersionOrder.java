package dev.quorate.testkit.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The versions of one key, and the constraints of their order. It decides whether an order exists
 * that satisfies them.
 *
 * <p>A node stands for one version: a write with the reads that observed it. Two numbers describe
 * it for each {@code ack/from} c: when the first of its operations ended whose effect counts at c
 * ({@code firstEnd}), and when the last of those began that have to see what counts at c ({@code
 * lastStart}). Version u is older than v if u's firstEnd is before v's lastStart for some c. With
 * one c that overlaps itself these are the zones of Gibbons and Korach (Testing Shared Memories,
 * SIAM J. Comput., 1997), and two versions that are each older than the other are their two
 * overlapping zones.
 *
 * <p>The edges are as many as the pairs. They are never built: a version that nothing is newer than
 * is removed repeatedly; the largest remaining lastStart decides whether there is one (or the
 * second largest, if the largest is its own). So the cost is n log n for each c. The versions that
 * cannot be removed contain a cycle.
 */
final class VersionOrder {

    /** A cycle with more nodes than this is reported as it was found. */
    private static final int MAX_SHORTENED_NODES = 64;

    private static final int END = -1;

    private final Specs specs;
    private final int[] above;
    private final long[][] firstEnd;
    private final long[][] lastStart;
    private int size;

    VersionOrder(Specs specs, int maxNodes) {
        this.specs = specs;
        this.above = new int[maxNodes];
        this.firstEnd = new long[specs.size()][maxNodes];
        this.lastStart = new long[specs.size()][maxNodes];
        for (int c = 0; c < specs.size(); c++) {
            Arrays.fill(firstEnd[c], Long.MAX_VALUE);
            Arrays.fill(lastStart[c], Long.MIN_VALUE);
        }
        Arrays.fill(above, END);
    }

    /** A version without constraints so far. */
    int add() {
        return size++;
    }

    /** There from before everything, for everybody. */
    int addFirst() {
        int node = add();
        for (long[] ends : firstEnd) {
            ends[node] = Long.MIN_VALUE;
        }
        return node;
    }

    /** An operation wrote or saw this version. */
    void addOperation(int node, Operation operation) {
        int source = specs.source(operation);
        if (source != Specs.NONE) {
            long end = operation.ended().order();
            firstEnd[source][node] = Math.min(firstEnd[source][node], end);
        }
        int target = specs.target(operation);
        if (target != Specs.NONE) {
            for (int c = 0; c < specs.size(); c++) {
                if (specs.overlap(c, target)) {
                    long start = operation.began().order();
                    lastStart[c][node] = Math.max(lastStart[c][node], start);
                }
            }
        }
    }

    /** The first of these is older than, or the same as, the second. */
    void addAbove(int node, int newer) {
        above[node] = newer;
    }

    /** When the first of the version's operations ended that a read at this spec has to see. */
    long firstEndFor(int node, int target) {
        long first = Long.MAX_VALUE;
        for (int c = 0; c < specs.size(); c++) {
            if (specs.overlap(c, target)) {
                first = Math.min(first, firstEnd[c][node]);
            }
        }
        return first;
    }

    /** When the last of the version's operations began that has to see what counts at this spec. */
    long lastStart(int node, int source) {
        return lastStart[source][node];
    }

    /** Whether the first is known to be older, by one step. */
    boolean isOlder(int node, int other) {
        if (node == other) {
            return false;
        }
        for (int c = 0; c < specs.size(); c++) {
            if (firstEnd[c][node] < lastStart[c][other]) {
                return true;
            }
        }
        return above[node] == other;
    }

    /** Versions each of which is older than the next, and the last than the first; or none. */
    List<Integer> findCycle() {
        Elimination elimination = new Elimination();
        elimination.run();
        return elimination.remaining() == 0 ? List.of() : shortened(elimination.cycle());
    }

    private List<Integer> shortened(List<Integer> cycle) {
        if (cycle.size() <= 2 || cycle.size() > MAX_SHORTENED_NODES) {
            return cycle;
        }
        List<Integer> shortest = cycle;
        for (int start : cycle) {
            List<Integer> found = shortestThrough(start, cycle);
            if (found.size() < shortest.size()) {
                shortest = found;
            }
        }
        return shortest;
    }

    /** Breadth first, from a node to itself. */
    private List<Integer> shortestThrough(int start, List<Integer> nodes) {
        Map<Integer, Integer> cameFrom = new HashMap<>();
        Deque<Integer> queue = new ArrayDeque<>(List.of(start));
        while (!queue.isEmpty()) {
            int node = queue.remove();
            if (node != start && isOlder(node, start)) {
                List<Integer> path = new ArrayList<>();
                for (int step = node; step != start; step = cameFrom.getOrDefault(step, start)) {
                    path.addFirst(step);
                }
                path.addFirst(start);
                return path;
            }
            for (int next : nodes) {
                if (next != start && !cameFrom.containsKey(next) && isOlder(node, next)) {
                    cameFrom.put(next, node);
                    queue.add(next);
                }
            }
        }
        return nodes;
    }

    /** Removes versions that nothing is newer than, until none is left or none can be removed. */
    private final class Elimination {

        /** Of each c, the nodes by lastStart, the largest first; and the first two left. */
        private final int[][] byStart = new int[specs.size()][];

        private final int[] first = new int[specs.size()];
        private final int[] second = new int[specs.size()];

        /** Of each c, the nodes by firstEnd, the last first, and how far they are free of it. */
        private final int[][] byEnd = new int[specs.size()][];

        private final int[] position = new int[specs.size()];
        private final BitSet[] free = new BitSet[specs.size()];

        /** For each node, how many c still block it, and the nodes that wait for its removal. */
        private final int[] blockers = new int[size];

        private final Map<Integer, List<Integer>> below = new HashMap<>();
        private final BitSet out = new BitSet(size);
        private final Deque<Integer> ready = new ArrayDeque<>();

        Elimination() {
            for (int c = 0; c < specs.size(); c++) {
                byStart[c] = descending(lastStart[c], Long.MIN_VALUE);
                byEnd[c] = descending(firstEnd[c], Long.MAX_VALUE);
                free[c] = new BitSet(size);
                for (int node : byEnd[c]) {
                    blockers[node]++;
                }
            }
            for (int node = 0; node < size; node++) {
                if (above[node] != END) {
                    blockers[node]++;
                    below.computeIfAbsent(above[node], _ -> new ArrayList<>()).add(node);
                }
            }
        }

        /** The nodes by these times, without those that have none. */
        private int[] descending(long[] times, long none) {
            return IntStream.range(0, size)
                    .filter(node -> times[node] != none)
                    .boxed()
                    .sorted(Comparator.comparingLong((Integer node) -> times[node]).reversed())
                    .mapToInt(Integer::intValue)
                    .toArray();
        }

        /** The place of the first node that is left, from a place on. */
        private int skipOut(int c, int place) {
            int left = place;
            while (left < byStart[c].length && out.get(byStart[c][left])) {
                left++;
            }
            return left;
        }

        /** The node left with the largest lastStart. */
        private int largest(int c) {
            first[c] = skipOut(c, first[c]);
            return nodeAt(c, first[c]);
        }

        private int nodeAt(int c, int place) {
            return place < byStart[c].length ? byStart[c][place] : END;
        }

        void run() {
            for (int node = 0; node < size; node++) {
                if (blockers[node] == 0) {
                    ready.add(node);
                }
            }
            for (int c = 0; c < specs.size(); c++) {
                advance(c);
            }
            while (!ready.isEmpty()) {
                takeOut(ready.remove());
            }
        }

        private void takeOut(int node) {
            out.set(node);
            for (int c = 0; c < specs.size(); c++) {
                if (lastStart[c][node] != Long.MIN_VALUE) {
                    advance(c);
                }
            }
            below.getOrDefault(node, List.of()).forEach(this::release);
        }

        /** Unblocks nodes that the largest lastStart of c no longer blocks. */
        private void advance(int c) {
            int largest = largest(c);
            long start = largest == END ? Long.MIN_VALUE : lastStart[c][largest];
            while (position[c] < byEnd[c].length && firstEnd[c][byEnd[c][position[c]]] >= start) {
                free(c, byEnd[c][position[c]]);
                position[c]++;
            }
            if (largest != END && !isHeld(c, largest)) {
                free(c, largest);
            }
        }

        private boolean isHeld(int c, int node) {
            int holder = holder(c, node);
            return holder != END && lastStart[c][holder] > firstEnd[c][node];
        }

        /** The one with the largest lastStart, apart from itself. */
        private int holder(int c, int node) {
            int largest = largest(c);
            if (largest != node) {
                return largest;
            }
            second[c] = skipOut(c, Math.max(second[c], first[c] + 1));
            return nodeAt(c, second[c]);
        }

        private void free(int c, int node) {
            if (firstEnd[c][node] != Long.MAX_VALUE && !free[c].get(node)) {
                free[c].set(node);
                release(node);
            }
        }

        private void release(int node) {
            blockers[node]--;
            if (blockers[node] == 0) {
                ready.add(node);
            }
        }

        int remaining() {
            return size - out.cardinality();
        }

        /** Everything left has something newer that is left: following it comes round. */
        List<Integer> cycle() {
            List<Integer> path = new ArrayList<>();
            Map<Integer, Integer> places = new HashMap<>();
            int node = out.nextClearBit(0);
            while (!places.containsKey(node)) {
                places.put(node, path.size());
                path.add(node);
                node = newer(node);
            }
            return List.copyOf(path.subList(places.getOrDefault(node, 0), path.size()));
        }

        private int newer(int node) {
            for (int c = 0; c < specs.size(); c++) {
                if (firstEnd[c][node] != Long.MAX_VALUE && isHeld(c, node)) {
                    return holder(c, node);
                }
            }
            return above[node];
        }
    }
}
