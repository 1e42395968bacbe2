package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

    /**
     * @param end never, if the outcome is unknown
     */
    private record Delete(int node, long end) {}

    /** Of some deletes, the one that ended last, and the second last. */
    private record Last(Delete first, @Nullable Delete second) {

        static Last of(@Nullable Last before, Delete next) {
            if (before == null || next.end >= before.first.end) {
                return new Last(next, before == null ? null : before.first);
            }
            boolean isThird = before.second != null && next.end < before.second.end;
            return isThird ? before : new Last(before.first, next);
        }
    }

    private final Specs specs;
    private final VersionOrder order;
    private final List<VersionNode> versions;

    /**
     * For each spec, and each beginning of one of its deletes: the deletes that began until then.
     * The last element is for deletes with an unknown outcome.
     */
    private final List<NavigableMap<Long, Last>> begun = new ArrayList<>();

    AbsentReads(
            Specs specs,
            VersionOrder order,
            List<VersionNode> versions,
            List<Integer> nodes,
            List<Operation> deletes) {
        this.specs = specs;
        this.order = order;
        this.versions = List.copyOf(versions);
        for (int c = 0; c <= specs.size(); c++) {
            begun.add(new TreeMap<>());
        }
        for (int i = 0; i < nodes.size(); i++) {
            Operation delete = deletes.get(i);
            boolean isKnown = delete.isAcknowledged();
            long end = isKnown ? delete.ended().order() : Long.MAX_VALUE;
            NavigableMap<Long, Last> same =
                    begun.get(isKnown ? specs.source(delete) : specs.size());
            Last before = same.isEmpty() ? null : same.lastEntry().getValue();
            same.put(delete.began().order(), Last.of(before, new Delete(nodes.get(i), end)));
        }
    }

    /** For each read, the delete that ended last of those that began before the read ended. */
    int[] latest(List<Operation> reads) {
        return reads.stream().mapToInt(this::latest).toArray();
    }

    private int latest(Operation read) {
        Delete latest = null;
        for (int c = 0; c <= specs.size(); c++) {
            Last last = begunBefore(read, c);
            if (last != null && (latest == null || last.first.end >= latest.end)) {
                latest = last.first;
            }
        }
        return latest == null ? NOTHING : latest.node;
    }

    /** The deletes of a spec that began before a read ended; null if there are none. */
    private @Nullable Last begunBefore(Operation read, int c) {
        Map.Entry<Long, Last> last = begun.get(c).floorEntry(read.ended().order());
        return last == null ? null : last.getValue();
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
        int reasons = settled.isNothing(read) ? 1 : 0;
        int reason = NOTHING;
        for (int c = 0; c <= specs.size(); c++) {
            Last last = begunBefore(read, c);
            if (last != null) {
                long superseded = settled.lastStart(read, c);
                for (Delete candidate :
                        Stream.concat(Stream.of(last.first), Stream.ofNullable(last.second))
                                .toList()) {
                    if (candidate.end >= superseded) {
                        reasons++;
                        reason = candidate.node;
                    }
                }
            }
        }
        return switch (reasons) {
            case 0 -> latest(read);
            case 1 -> reason;
            default -> {
                int value = settled.surrounding(read);
                yield value == NONE ? AMBIGUOUS : -value;
            }
        };
    }

    /** The versions that reads of one spec must observe, by the time from which they must. */
    private final class Settled {

        /**
         * By the index of a spec: for each time, the settled version with the largest lastStart.
         */
        private final List<NavigableMap<Long, Integer>> largest = new ArrayList<>();

        /** The same, of versions with a value. */
        private final List<NavigableMap<Long, Integer>> largestValue = new ArrayList<>();

        Settled(int target) {
            List<Integer> settled =
                    IntStream.range(1, versions.size())
                            .boxed()
                            .filter(node -> order.firstEndFor(node, target) != Long.MAX_VALUE)
                            .sorted(
                                    Comparator.comparingLong(
                                            node -> order.firstEndFor(node, target)))
                            .toList();
            List<Integer> values =
                    settled.stream().filter(node -> versions.get(node).isValue()).toList();
            for (int c = 0; c < specs.size(); c++) {
                largest.add(largest(settled, target, c));
                largestValue.add(largest(values, target, c));
            }
        }

        private NavigableMap<Long, Integer> largest(List<Integer> nodes, int target, int c) {
            NavigableMap<Long, Integer> largest = new TreeMap<>();
            for (int node : nodes) {
                int before = largest.isEmpty() ? node : largest.lastEntry().getValue();
                boolean isLarger = order.lastStart(node, c) > order.lastStart(before, c);
                largest.put(order.firstEndFor(node, target), isLarger ? node : before);
            }
            return largest;
        }

        /** The largest version settled before a read began; NONE if there is none. */
        private static int before(Operation read, NavigableMap<Long, Integer> largest) {
            Map.Entry<Long, Integer> found = largest.lowerEntry(read.began().order());
            return found == null ? NONE : found.getValue();
        }

        boolean isNothing(Operation read) {
            return before(read, largest.getFirst()) == NONE;
        }

        /** A delete of c that ended before this time is older than a version the read must see. */
        long lastStart(Operation read, int c) {
            int node = c == specs.size() ? NONE : before(read, largest.get(c));
            return node == NONE ? Long.MIN_VALUE : order.lastStart(node, c);
        }

        /** A value settled before the read and observed by an operation after it; or NONE. */
        int surrounding(Operation read) {
            int source = specs.source(read);
            int value = source == Specs.NONE ? NONE : before(read, largestValue.get(source));
            return value != NONE && order.lastStart(value, source) > read.ended().order()
                    ? value
                    : NONE;
        }
    }
}
