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
 * The versions of one key with the constraints of their order. Decides whether an order exists that
 * satisfies them.
 *
 * <p>A node represents one version: a write with the reads that observed it. For each {@code
 * ack/from} c it has two numbers: {@code firstEnd} is the time when the first of its operations
 * ended that count at c; {@code lastStart} is the time when the last of its operations began that
 * must observe operations at c. Version u is older than v if firstEnd of u is before lastStart of v
 * for some c. With one c that overlaps itself, these are the zones of Gibbons and Korach (Testing
 * Shared Memories, SIAM J. Comput., 1997).
 *
 * <p>The graph is never built, because it may have an edge for each pair. Instead, a version that
 * no other version is newer than is removed repeatedly: the largest remaining lastStart (of another
 * version) decides this. The cost is n log n for each c. The remaining versions contain a cycle.
 */
final class VersionOrder {

    /** A longer cycle is not shortened. */
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

    int add() {
        return size++;
    }

    int addFirst() {
        int node = add();
        for (long[] ends : firstEnd) {
            ends[node] = Long.MIN_VALUE;
        }
        return node;
    }

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

    void addAbove(int node, int newer) {
        above[node] = newer;
    }

    /** The end of the first operation on the version that a read at this spec must observe. */
    long firstEndFor(int node, int target) {
        long first = Long.MAX_VALUE;
        for (int c = 0; c < specs.size(); c++) {
            if (specs.overlap(c, target)) {
                first = Math.min(first, firstEnd[c][node]);
            }
        }
        return first;
    }

    /** The beginning of the last operation on the version that must observe this spec. */
    long lastStart(int node, int source) {
        return lastStart[source][node];
    }

    /** Whether a single constraint shows that the first version is older. */
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

    /** A cycle of versions, each of which is older than the next; empty if there is none. */
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

    /** Breadth-first search of the shortest path from a node to itself. */
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

    /** Removes versions that no remaining version is newer than, as long as there are any. */
    private final class Elimination {

        /** For each c, the nodes by descending lastStart, and the places of the first two left. */
        private final int[][] byStart = new int[specs.size()][];

        private final int[] first = new int[specs.size()];
        private final int[] second = new int[specs.size()];

        /** For each c, the nodes by descending firstEnd, and the first place that is not free. */
        private final int[][] byEnd = new int[specs.size()][];

        private final int[] position = new int[specs.size()];
        private final BitSet[] free = new BitSet[specs.size()];

        /** For each node, the number of constraints that block its removal. */
        private final int[] blockers = new int[size];

        /** For each node, the nodes that wait for its removal. */
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

        private int[] descending(long[] times, long none) {
            return IntStream.range(0, size)
                    .filter(node -> times[node] != none)
                    .boxed()
                    .sorted(Comparator.comparingLong((Integer node) -> times[node]).reversed())
                    .mapToInt(Integer::intValue)
                    .toArray();
        }

        /** The place of the first remaining node, starting at a place. */
        private int skipOut(int c, int place) {
            int left = place;
            while (left < byStart[c].length && out.get(byStart[c][left])) {
                left++;
            }
            return left;
        }

        /** The remaining node with the largest lastStart. */
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

        /** The remaining node with the largest lastStart, except for the node itself. */
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

        /** Follows newer nodes: each remaining node has one, so that the path repeats a node. */
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
