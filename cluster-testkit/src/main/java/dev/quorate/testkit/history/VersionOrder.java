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
import java.util.NavigableSet;
import java.util.TreeSet;
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
        return shortened(new Search().cycle());
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

    /** Follows newer versions, and removes each version that no remaining version is newer than. */
    private final class Search {

        /** For each c, the remaining nodes by descending lastStart. */
        private final List<NavigableSet<Integer>> byStart = new ArrayList<>();

        private final BitSet out = new BitSet(size);

        Search() {
            for (long[] starts : lastStart) {
                NavigableSet<Integer> nodes =
                        new TreeSet<>(
                                Comparator.comparingLong((Integer node) -> -starts[node])
                                        .thenComparing(Comparator.naturalOrder()));
                IntStream.range(0, size)
                        .filter(node -> starts[node] != Long.MIN_VALUE)
                        .forEach(nodes::add);
                byStart.add(nodes);
            }
        }

        /** A part of the path that ends where it began; empty if all versions are removed. */
        List<Integer> cycle() {
            List<Integer> path = new ArrayList<>();
            Map<Integer, Integer> places = new HashMap<>();
            for (int start = 0; start < size; start = out.nextClearBit(start)) {
                int next = start;
                while (next != END || !path.isEmpty()) {
                    if (next == END) {
                        remove(path.removeLast());
                    } else {
                        Integer place = places.putIfAbsent(next, path.size());
                        if (place != null) {
                            return List.copyOf(path.subList(place, path.size()));
                        }
                        path.add(next);
                    }
                    next = path.isEmpty() ? END : newer(path.getLast());
                }
            }
            return List.of();
        }

        private void remove(int node) {
            out.set(node);
            byStart.forEach(nodes -> nodes.remove(node));
        }

        /** A remaining version that is newer, or END. */
        private int newer(int node) {
            for (int c = 0; c < specs.size(); c++) {
                for (int other : byStart.get(c)) {
                    if (other != node) {
                        if (firstEnd[c][node] < lastStart[c][other]) {
                            return other;
                        }
                        break; // the others began earlier
                    }
                }
            }
            return above[node] == END || out.get(above[node]) ? END : above[node];
        }
    }
}
