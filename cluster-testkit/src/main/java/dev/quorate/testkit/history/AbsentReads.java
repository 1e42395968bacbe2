package dev.quorate.testkit.history;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Assigns a delete to each read that found nothing ("absent"). An answer does not identify the
 * delete: any delete that began before the read ended is possible, and so is no write at all.
 *
 * <p>With one {@code ack/from} and without linearizability, the delete that ended last is the best
 * choice: any version newer than it is also newer than the others. Otherwise a complete search is
 * not feasible (verifying a register whose values are not unique is NP-complete, Gibbons and
 * Korach), and only forced choices are used: a read with exactly one possible delete observed it, a
 * read with none is a violation, and a read with several must not be between a write and a read of
 * one value.
 */
final class AbsentReads {

    static final int AMBIGUOUS = Integer.MIN_VALUE;

    private static final int NOTHING = 0;
    private static final int NONE = -1;

    private final Specs specs;
    private final VersionOrder order;
    private final List<VersionNode> versions;

    /** By the beginning of each delete: its node, begin, end, and the number of its spec. */
    private final int[] nodes;

    private final long[] begins;
    private final long[] ends;
    private final int[] sources;

    /**
     * For each spec, and its deletes among the first i + 1: the index of the one that ended last,
     * and of the second last. The last row is for deletes with an unknown outcome, which never end.
     */
    private final int[][] last;

    private final int[][] lastButOne;

    AbsentReads(
            Specs specs,
            VersionOrder order,
            List<VersionNode> versions,
            List<Integer> nodes,
            List<Operation> deletes) {
        this.specs = specs;
        this.order = order;
        this.versions = List.copyOf(versions);
        this.nodes = nodes.stream().mapToInt(Integer::intValue).toArray();
        this.begins = deletes.stream().mapToLong(d -> d.began().order()).toArray();
        this.ends =
                deletes.stream()
                        .mapToLong(d -> d.isAcknowledged() ? d.ended().order() : Long.MAX_VALUE)
                        .toArray();
        this.sources =
                deletes.stream()
                        .mapToInt(d -> d.isAcknowledged() ? specs.source(d) : specs.size())
                        .toArray();
        this.last = new int[specs.size() + 1][this.nodes.length];
        this.lastButOne = new int[specs.size() + 1][this.nodes.length];
        for (int c = 0; c <= specs.size(); c++) {
            rank(c);
        }
    }

    private void rank(int c) {
        int first = NONE;
        int second = NONE;
        for (int i = 0; i < nodes.length; i++) {
            if (sources[i] == c) {
                if (first == NONE || ends[i] >= ends[first]) {
                    second = first;
                    first = i;
                } else if (second == NONE || ends[i] >= ends[second]) {
                    second = i;
                }
            }
            last[c][i] = first;
            lastButOne[c][i] = second;
        }
    }

    /** For each read, the delete that ended last of those that began before the read ended. */
    int[] latest(List<Operation> reads) {
        return reads.stream().mapToInt(read -> latest(begunBefore(read))).toArray();
    }

    private int latest(int begun) {
        int latest = NONE;
        for (int c = 0; c <= specs.size() && begun > 0; c++) {
            int candidate = last[c][begun - 1];
            if (candidate != NONE && (latest == NONE || ends[candidate] >= ends[latest])) {
                latest = candidate;
            }
        }
        return latest == NONE ? NOTHING : nodes[latest];
    }

    /** The number of deletes that began before a read ended. */
    private int begunBefore(Operation read) {
        return countUpTo(begins, read.ended().order());
    }

    /**
     * For each read, the delete that it must have observed, {@link #AMBIGUOUS}, or a value that it
     * must not have missed (see {@link #surrounding}). If no delete is possible, returns one that
     * causes a cycle.
     */
    int[] forced(List<Operation> reads) {
        int[] chosen = new int[reads.size()];
        for (int target = 0; target < specs.size(); target++) {
            Settled settled = new Settled(target);
            for (int i = 0; i < chosen.length; i++) {
                if (specs.target(reads.get(i)) == target) {
                    chosen[i] = forced(reads.get(i), settled);
                }
            }
        }
        return chosen;
    }

    /** The value that a read did not find although operations before and after it observed it. */
    static int surrounding(int chosen) {
        return -chosen;
    }

    private int forced(Operation read, Settled settled) {
        int begun = begunBefore(read);
        int before = settled.before(read);
        int reasons = before == 0 ? 1 : 0;
        int reason = NOTHING;
        for (int c = 0; c <= specs.size() && begun > 0; c++) {
            long superseded = settled.lastStart(before, c);
            for (int candidate : new int[] {lastButOne[c][begun - 1], last[c][begun - 1]}) {
                if (candidate != NONE && ends[candidate] >= superseded) {
                    reasons++;
                    reason = nodes[candidate];
                }
            }
        }
        return switch (reasons) {
            case 0 -> latest(begun);
            case 1 -> reason;
            default -> {
                int value = settled.surrounding(before, read);
                yield value == NONE ? AMBIGUOUS : -value;
            }
        };
    }

    /** The number of ascending times that are not after this one. */
    private static int countUpTo(long[] times, long time) {
        int low = 0;
        int high = times.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (times[middle] <= time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The versions that reads of one spec must observe, by the time from which they must. */
    private final class Settled {

        private final int[] settled;
        private final long[] times;

        /** For each c and the first i + 1 versions: the one with the largest lastStart. */
        private final int[][] largest;

        /** The same, of versions with a value. */
        private final int[][] largestValue;

        Settled(int target) {
            long[] firstEnds =
                    IntStream.range(0, versions.size())
                            .mapToLong(node -> order.firstEndFor(node, target))
                            .toArray();
            settled =
                    IntStream.range(1, versions.size())
                            .filter(node -> firstEnds[node] != Long.MAX_VALUE)
                            .boxed()
                            .sorted(Comparator.comparingLong(node -> firstEnds[node]))
                            .mapToInt(Integer::intValue)
                            .toArray();
            times = Arrays.stream(settled).mapToLong(node -> firstEnds[node]).toArray();
            largest = new int[specs.size()][settled.length];
            largestValue = new int[specs.size()][settled.length];
            for (int c = 0; c < specs.size(); c++) {
                int any = NONE;
                int value = NONE;
                for (int i = 0; i < settled.length; i++) {
                    any = larger(c, any, settled[i]);
                    if (versions.get(settled[i]).isValue()) {
                        value = larger(c, value, settled[i]);
                    }
                    largest[c][i] = any;
                    largestValue[c][i] = value;
                }
            }
        }

        private int larger(int c, int node, int other) {
            return node == NONE || order.lastStart(other, c) > order.lastStart(node, c)
                    ? other
                    : node;
        }

        /** The number of versions settled before the read began. */
        int before(Operation read) {
            return countUpTo(times, read.began().order() - 1);
        }

        /** A delete of c that ended before this time is older than a version the read must see. */
        long lastStart(int before, int c) {
            return before == 0 || c == specs.size()
                    ? Long.MIN_VALUE
                    : order.lastStart(largest[c][before - 1], c);
        }

        /** A value settled before the read and observed by an operation after it; or NONE. */
        int surrounding(int before, Operation read) {
            int source = specs.source(read);
            if (before == 0 || source == Specs.NONE) {
                return NONE;
            }
            int value = largestValue[source][before - 1];
            return value != NONE && order.lastStart(value, source) > read.ended().order()
                    ? value
                    : NONE;
        }
    }
}
