package dev.quorate.node.antientropy;

import dev.quorate.node.antientropy.RangeReader.Stretch;
import dev.quorate.node.antientropy.RangeReader.Sum;
import dev.quorate.router.message.ComparedRange;
import dev.quorate.router.message.ComparedRange.Listed;
import dev.quorate.router.message.ComparedRange.Part;
import dev.quorate.router.message.ReplicaRequest.Compare;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Timestamp;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares two members' entries: decides what to ask the other member next, processes its answers,
 * and finds the keys that differ. It works like a Merkle tree that is computed on demand and never
 * stored: the root is the next stretch of this node's keys, and where the sums of a range differ,
 * its parts are compared.
 *
 * <p>Ranges consist of keys, not of tokens, so that each step reads only that range on either side.
 * The method is that of A. Meyer, <i>Range-Based Set Reconciliation</i> (2022). Does I/O only
 * through the {@link RangeReader}; not thread-safe.
 *
 * <p>A range with a block that this node cannot read has no sum. It is divided by the other
 * member's keys, and those keys are looked up one by one. If the other cannot read a block, it
 * fails the range, which is then divided by this node's keys. What remains unreadable is counted;
 * everything else is compared.
 */
final class Comparison {

    /** Maximum number of entries in a range that is listed rather than divided. */
    private static final int FEW = 6;

    /** The same if this node has no entries in the range. */
    private static final int MANY = 1_024;

    /** How many stretches are compared concurrently, so that their parts travel together. */
    private static final int AHEAD = 4;

    private static final byte[] FIRST = {0};

    private static final Timestamp UNKNOWN = Timestamp.ZERO;

    /**
     * A range to compare.
     *
     * @param mine the sum of this node's entries; null if they cannot be read
     * @param ends whether its end is known; otherwise it is the rest of the store
     */
    record Range(byte[] start, byte @Nullable [] end, @Nullable Sum mine, boolean ends) {}

    /** A request to the other member, and its range. */
    record Question(Range range, Compare compare) {}

    private final RangeReader reader;
    private final SharedWalk walk;
    private final int self;
    private final int salt;
    private final Deque<Range> open = new ArrayDeque<>();
    private final Deque<Difference> differences = new ArrayDeque<>();

    /** Where the next stretch begins; null after the last. */
    private byte @Nullable [] nextStart = FIRST;

    private int asked;
    private long compared;
    private long unreadable;

    /**
     * @param walk reads the stretches, perhaps with other comparisons
     * @param self this member's number
     */
    Comparison(RangeReader reader, SharedWalk walk, int self, int salt) {
        this.reader = reader;
        this.walk = walk;
        this.self = self;
        this.salt = salt;
    }

    /** Begins: from now on the walk is for this comparison, too. */
    void begin() {
        walk.join(reader);
    }

    /** Ends its part in the walk. */
    void end() {
        walk.leave(reader);
    }

    /** Keys that differ; the caller removes them. */
    Deque<Difference> differences() {
        return differences;
    }

    /** Whether everything has been compared. */
    boolean isOver() {
        return nextStart == null && open.isEmpty() && asked == 0;
    }

    /** How many entries of this node were compared. */
    long compared() {
        return compared;
    }

    /** Number of ranges that one of the two members could not read completely. */
    long unreadable() {
        return unreadable;
    }

    /**
     * The next request; null if none remains or it depends on outstanding answers. May read a
     * stretch of the store.
     */
    @Nullable Question next() {
        Range range = open.poll();
        if (range == null) {
            if (nextStart == null || asked >= AHEAD) {
                return null;
            }
            range = nextStretch(nextStart);
        }
        asked++;
        Sum mine = range.mine;
        // Without a sum of its own this node sends a sum that cannot match.
        long sum = mine == null ? Sums.hash(~salt, range.start, UNKNOWN, 0) : mine.sum();
        int listUpTo = mine != null && mine.entries() == 0 ? MANY : FEW;
        return new Question(
                range,
                new Compare(
                        self,
                        salt,
                        reader.gcWatermarkMillis(),
                        sum,
                        range.start,
                        range.end,
                        listUpTo));
    }

    private Range nextStretch(byte[] start) {
        try {
            Stretch stretch = walk.stretch(reader, start);
            nextStart = stretch.end();
            compared += stretch.entries();
            return new Range(start, stretch.end(), new Sum(stretch.sum(), stretch.entries()), true);
        } catch (CorruptionException e) {
            nextStart = null; // until the other reports how far it got
            return new Range(start, null, null, false);
        }
    }

    /** Enqueues again a request that was not answered. */
    void unanswered(Question question) {
        asked--;
        open.push(question.range);
    }

    void answered(Question question, ComparedRange answer) {
        asked--;
        Range range = question.range;
        switch (answer) {
            case ComparedRange.Same same -> {}
            case ComparedRange.Parts parts -> divide(range, parts.parts());
            case ComparedRange.Listing listing -> list(range, listing.entries());
        }
    }

    private void divide(Range range, List<Part> parts) {
        byte @Nullable [] reached = parts.getLast().end();
        if (reached != null) {
            if (range.ends) {
                open.push(new Range(reached, range.end, sum(reached, range.end), true));
            } else {
                nextStart = reached;
            }
        }
        List<Sum> mine = sums(range, parts);
        for (int i = parts.size() - 1; i >= 0; i--) {
            byte[] start = startOf(i, range, parts);
            byte @Nullable [] end = parts.get(i).end() == null ? range.end : parts.get(i).end();
            Sum sum = mine == null ? sum(start, end) : mine.get(i);
            if (sum == null || sum.sum() != parts.get(i).sum()) {
                open.push(new Range(start, end, sum, true));
            }
        }
    }

    private static byte[] startOf(int part, Range range, List<Part> parts) {
        return part == 0
                ? range.start
                : Objects.requireNonNull(parts.get(part - 1).end(), "only the last has no end");
    }

    private @Nullable List<Sum> sums(Range range, List<Part> parts) {
        try {
            return range.mine == null ? null : reader.sums(range.start, parts, range.end);
        } catch (CorruptionException e) {
            return null;
        }
    }

    private @Nullable Sum sum(byte[] start, byte @Nullable [] end) {
        try {
            return reader.sums(start, List.of(new Part(end, 0)), end).getFirst();
        } catch (CorruptionException e) {
            return null;
        }
    }

    /** Both lists are in the order of the keys. */
    private void list(Range range, List<Listed> theirs) {
        List<Listed> mine;
        try {
            mine = reader.list(range.start, range.end);
        } catch (CorruptionException e) {
            unreadable++;
            mine = List.of();
            if (theirs.isEmpty()) {
                return;
            }
        }
        int i = 0;
        int j = 0;
        while (i < mine.size() || j < theirs.size()) {
            int order =
                    i == mine.size()
                            ? 1
                            : j == theirs.size()
                                    ? -1
                                    : Arrays.compareUnsigned(
                                            mine.get(i).key(), theirs.get(j).key());
            if (order < 0) {
                differences.add(new Difference(mine.get(i).key(), null));
            } else if (order > 0 || !isAlike(theirs.get(j), mine.get(i))) {
                differences.add(new Difference(theirs.get(j).key(), theirs.get(j)));
            }
            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
    }

    private static boolean isAlike(Listed one, Listed other) {
        return one.timestamp().equals(other.timestamp()) && one.content() == other.content();
    }

    /** Handles the other member's failure to read a range. */
    void failedToRead(Question question) {
        asked--;
        Range range = question.range;
        Sum mine = range.mine;
        if (mine == null || mine.entries() <= FEW) {
            unreadable++;
            return;
        }
        try {
            List<Part> parts = reader.divide(range.start, range.end);
            for (int i = parts.size() - 1; i >= 0; i--) {
                byte[] start = startOf(i, range, parts);
                byte @Nullable [] end = i == parts.size() - 1 ? range.end : parts.get(i).end();
                open.push(new Range(start, end, sum(start, end), true));
            }
        } catch (CorruptionException e) {
            unreadable++;
        }
    }

    /**
     * A key for which the two members had different entries when they were compared.
     *
     * @param theirs the other member's entry, without its value; null if it has none
     */
    record Difference(byte[] key, @Nullable Listed theirs) {}
}
