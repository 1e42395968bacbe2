package dev.quorate.node.antientropy;

import dev.quorate.node.antientropy.RangeReader.Stretch;
import dev.quorate.node.antientropy.RangeReader.Sum;
import dev.quorate.node.message.ComparedRange;
import dev.quorate.node.message.ComparedRange.Listed;
import dev.quorate.node.message.ComparedRange.Part;
import dev.quorate.node.message.ReplicaRequest.Compare;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Timestamp;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares two members' entries: says what to ask the other member next, takes its answers, and
 * finds the keys that differ. A tree of sums that nobody keeps: its root is the next stretch of
 * this node's keys, and where the sums of a range differ, its parts are looked at.
 *
 * <p>The ranges are of keys and not of tokens, so that each step reads that range alone, on both
 * sides. The method is that of A. Meyer, <i>Range-Based Set Reconciliation</i> (2022). Does no I/O
 * but through the {@link RangeReader}; not safe for use by two threads at once.
 *
 * <p>A block that this node cannot read leaves the ranges that it lies in without a sum. They are
 * divided by the other's keys, and those keys are looked up one by one. A block that the other
 * cannot read makes it fail the range: it is divided by this node's keys. What remains unreadable
 * is counted, and everything else is compared.
 */
final class Comparison {

    /** Up to so many entries are listed rather than divided. */
    private static final int FEW = 6;

    /** And up to so many where this node has nothing. */
    private static final int MANY = 1_024;

    /** So many stretches are asked about together, so that their parts travel together. */
    private static final int AHEAD = 4;

    private static final byte[] FIRST = {0};

    /** No entry's. */
    private static final Timestamp UNKNOWN = Timestamp.ZERO;

    /**
     * A range to ask about.
     *
     * @param mine what this node has there; null if it cannot be read
     * @param ends whether it is known where it ends; else it is the rest of the store
     */
    private record Range(byte[] start, byte @Nullable [] end, @Nullable Sum mine, boolean ends) {}

    /** A question to the other member, and what it is about. */
    static final class Question {
        private final Range range;
        final Compare compare;

        private Question(Range range, Compare compare) {
            this.range = range;
            this.compare = compare;
        }
    }

    private final RangeReader reader;
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
     * @param self this member's number
     */
    Comparison(RangeReader reader, int self, int salt) {
        this.reader = reader;
        this.self = self;
        this.salt = salt;
    }

    /** Keys that differ, to be taken from here. */
    Deque<Difference> differences() {
        return differences;
    }

    /** Whether all has been asked and answered. */
    boolean isOver() {
        return nextStart == null && open.isEmpty() && asked == 0;
    }

    /** Entries of this node that were compared. */
    long compared() {
        return compared;
    }

    /** Ranges of which one of the two could not read all. */
    long unreadable() {
        return unreadable;
    }

    /**
     * What to ask next; null if that depends on answers that are still to come, or there is nothing
     * more. May read a stretch of the store.
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
        // Without a sum of its own it asks with one that cannot be right.
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
            Stretch stretch = reader.stretch(start);
            nextStart = stretch.end();
            compared += stretch.entries();
            return new Range(start, stretch.end(), new Sum(stretch.sum(), stretch.entries()), true);
        } catch (CorruptionException e) {
            nextStart = null; // until the other says how far it got
            return new Range(start, null, null, false);
        }
    }

    /** There was no answer, and the question is to be asked again. */
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
            byte[] start = i == 0 ? range.start : parts.get(i - 1).end();
            byte @Nullable [] end = parts.get(i).end() == null ? range.end : parts.get(i).end();
            if (start == null) {
                throw new IllegalStateException("a part without an end that is not the last");
            }
            Sum sum = mine == null ? sum(start, end) : mine.get(i);
            if (sum == null || sum.sum() != parts.get(i).sum()) {
                open.push(new Range(start, end, sum, true));
            }
        }
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

    /** The other cannot read all of what it was asked about. */
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
                byte[] start = i == 0 ? range.start : parts.get(i - 1).end();
                byte @Nullable [] end = i == parts.size() - 1 ? range.end : parts.get(i).end();
                if (start == null) {
                    throw new IllegalStateException("a part without an end that is not the last");
                }
                open.push(new Range(start, end, sum(start, end), true));
            }
        } catch (CorruptionException e) {
            unreadable++;
        }
    }
}
