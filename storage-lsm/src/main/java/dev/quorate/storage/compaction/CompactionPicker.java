package dev.quorate.storage.compaction;

import dev.quorate.storage.sstable.TableMetadata;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which tables to merge next: a pure function of the tables there are.
 *
 * <p>Levels as in LevelDB ({@code doc/impl.md}). Flushed memtables enter level 0, where they may
 * overlap. Tables of each higher level do not, and a level may hold ten times the bytes of the one
 * above it, so that a scan meets level 0 and one table of each level. When level 0 has enough
 * tables they are merged into level 1 with what they overlap there; when a deeper level is too
 * large, one of its tables is merged into the next. The level furthest beyond its limit goes first.
 *
 * <p>Of a level that is too large goes the table that drags the fewest bytes of the next level
 * along for each byte of its own. LevelDB goes round the keys instead and has to remember where it
 * was; this needs no memory, and writes less.
 *
 * <p>When no level is over its limit, the levels between the first and the deepest are made to hold
 * a tenth of the deepest together, at most. Each of their entries may hide an older one further
 * down, so this bounds the space that old entries take, whatever the size of the store; fixed
 * limits alone let a store that has just outgrown a level hold most keys twice. RocksDB moves its
 * limits for the same reason ({@code level_compaction_dynamic_level_bytes}).
 *
 * <p>Which tables are merged never changes what a reader sees. Entries are told apart by timestamp,
 * and readers ask every table that may have a key; a level is no statement about age. So any subset
 * would be correct, and the choice is about work alone.
 */
public final class CompactionPicker {

    /** The default number of tables at which level 0 is merged. */
    public static final int LEVEL_0_TABLES = 4;

    /** The default limit of level 1, in bytes. */
    public static final long LEVEL_1_BYTES = 64L << 20;

    /**
     * No more tables of level 0 than this go at once, however many have piled up: the lowest
     * numbers first. It bounds what a compaction holds in memory and how long it takes.
     */
    static final int MAX_LEVEL_0_INPUTS = 16;

    private static final int GROWTH = 10;

    private final int level0Tables;
    private final long level1Bytes;

    public CompactionPicker() {
        this(LEVEL_0_TABLES, LEVEL_1_BYTES);
    }

    /**
     * @param level0Tables tables at which level 0 is merged
     * @param level1Bytes limit of level 1, in bytes; that of each further level is ten times larger
     */
    public CompactionPicker(int level0Tables, long level1Bytes) {
        if (level0Tables < 1 || level1Bytes < 1) {
            throw new IllegalArgumentException("limits must be positive");
        }
        this.level0Tables = level0Tables;
        this.level1Bytes = level1Bytes;
    }

    /** The most urgent compaction among all tables of a store, or nothing. */
    public CompactionDecision pick(List<TableMetadata> tables) {
        return pick(tables, Set.of(), Set.of(), Set.of());
    }

    /**
     * The most urgent compaction, or nothing.
     *
     * @param tables all of a store
     * @param leftOut numbers of tables that cannot be read. They are no input, and of a level above
     *     0 nothing is made that would overlap one of them there
     * @param expired numbers of tables that are worth rewriting for what has expired in them
     * @param collectable numbers of tables that are worth a compaction for tombstones that may go,
     *     if what is older than these in other tables is merged with them
     */
    public CompactionDecision pick(
            List<TableMetadata> tables,
            Set<Long> leftOut,
            Set<Long> expired,
            Set<Long> collectable) {
        List<TableMetadata> readable =
                tables.stream().filter(table -> !leftOut.contains(table.number())).toList();
        CompactionDecision decision = CompactionDecision.Nothing.NOTHING;
        for (int level : byUrgency(readable)) {
            decision = mergeDown(level, readable, tables, leftOut);
            if (decision instanceof CompactionDecision.Compact) {
                return decision;
            }
        }
        int wasteful = wasteful(readable);
        if (wasteful >= 0) {
            decision = mergeDown(wasteful, readable, tables, leftOut);
        }
        if (!(decision instanceof CompactionDecision.Compact)) {
            decision = rewriteExpired(readable, tables, leftOut, expired);
        }
        return decision instanceof CompactionDecision.Compact
                ? decision
                : collect(readable, tables, leftOut, collectable);
    }

    /** The levels over their limits, the one furthest beyond first. */
    private List<Integer> byUrgency(List<TableMetadata> tables) {
        double[] urgencies = new double[TableMetadata.MAX_LEVEL];
        List<Integer> urgent = new ArrayList<>();
        for (int level = 0; level < urgencies.length; level++) {
            urgencies[level] = urgency(level, ofLevel(tables, level));
            if (urgencies[level] >= 1) {
                urgent.add(level);
            }
        }
        urgent.sort((one, other) -> Double.compare(urgencies[other], urgencies[one]));
        return urgent;
    }

    /** Merges level 0, or a table of a deeper level, with what it meets below; if that can be. */
    private static CompactionDecision mergeDown(
            int level, List<TableMetadata> readable, List<TableMetadata> all, Set<Long> leftOut) {
        List<TableMetadata> below = ofLevel(all, level + 1);
        List<TableMetadata> chosen;
        if (level == 0) {
            chosen = chooseFromLevel0(readable);
        } else {
            TableMetadata cheapest = chooseFrom(level, readable, below, leftOut);
            chosen = cheapest == null ? List.of() : List.of(cheapest);
        }
        if (chosen.isEmpty()) {
            return CompactionDecision.Nothing.NOTHING;
        }
        List<TableMetadata> dragged = overlapping(chosen, below);
        if (meets(dragged, leftOut)) {
            return CompactionDecision.Nothing.NOTHING;
        }
        List<TableMetadata> inputs = new ArrayList<>(chosen);
        inputs.addAll(dragged);
        return new CompactionDecision.Compact(inputs, level + 1);
    }

    /** A table by itself, in its place: what it overlaps has nothing to do with what expired. */
    private static CompactionDecision rewriteExpired(
            List<TableMetadata> readable,
            List<TableMetadata> all,
            Set<Long> leftOut,
            Set<Long> expired) {
        for (TableMetadata table : readable) {
            if (!expired.contains(table.number())) {
                continue;
            }
            CompactionDecision decision =
                    table.level() == 0
                            ? mergeDown(0, readable, all, leftOut)
                            : new CompactionDecision.Compact(List.of(table), table.level());
            if (decision instanceof CompactionDecision.Compact) {
                return decision;
            }
        }
        return CompactionDecision.Nothing.NOTHING;
    }

    /** What leads to the end of some table's tombstones. */
    private static CompactionDecision collect(
            List<TableMetadata> readable,
            List<TableMetadata> all,
            Set<Long> leftOut,
            Set<Long> collectable) {
        for (TableMetadata table : readable) {
            if (!collectable.contains(table.number())) {
                continue;
            }
            CompactionDecision decision =
                    table.level() == 0
                            ? mergeDown(0, readable, all, leftOut)
                            : collect(table, readable, all, leftOut);
            if (decision instanceof CompactionDecision.Compact) {
                return decision;
            }
        }
        return CompactionDecision.Nothing.NOTHING;
    }

    /**
     * Brings a table down to what its tombstones may hide. At the bottom, what lies above and may
     * be older than a tombstone is brought down to it. Only then it is rewritten by itself, and
     * loses all its tombstones: so each decision moves bytes down or is the last one for its table.
     */
    private static CompactionDecision collect(
            TableMetadata table,
            List<TableMetadata> readable,
            List<TableMetadata> all,
            Set<Long> leftOut) {
        TableMetadata above = null;
        for (TableMetadata other : all) {
            if (other.level() > table.level() && other.overlaps(table)) {
                return mergeOneDown(table, all, leftOut);
            }
            boolean mayHoldOlder =
                    other.level() < table.level()
                            && other.overlaps(table)
                            && !other.oldest().isAfter(table.newest());
            if (mayHoldOlder && (above == null || other.level() > above.level())) {
                above = other;
            }
        }
        if (above == null) {
            return new CompactionDecision.Compact(List.of(table), table.level());
        }
        if (above.level() == 0) {
            return mergeDown(0, readable, all, leftOut);
        }
        return leftOut.contains(above.number())
                ? CompactionDecision.Nothing.NOTHING
                : mergeOneDown(above, all, leftOut);
    }

    private static CompactionDecision mergeOneDown(
            TableMetadata table, List<TableMetadata> all, Set<Long> leftOut) {
        List<TableMetadata> dragged = overlapping(List.of(table), ofLevel(all, table.level() + 1));
        if (meets(dragged, leftOut)) {
            return CompactionDecision.Nothing.NOTHING;
        }
        List<TableMetadata> inputs = new ArrayList<>(List.of(table));
        inputs.addAll(dragged);
        return new CompactionDecision.Compact(inputs, table.level() + 1);
    }

    /**
     * How much waits to be merged, measured in tables of level 0: those, or, where a deeper level
     * is far over its limit, twice as many as it is times its limit. So a level that is four times
     * too large weighs as much as eight tables.
     *
     * @param leftOut numbers of tables that cannot be merged, which wait for nothing
     */
    public double backlog(List<TableMetadata> tables, Set<Long> leftOut) {
        long[] bytes = new long[TableMetadata.MAX_LEVEL + 1];
        int level0 = 0;
        for (TableMetadata table : tables) {
            if (!leftOut.contains(table.number())) {
                bytes[table.level()] += table.fileBytes();
                level0 += table.level() == 0 ? 1 : 0;
            }
        }
        double backlog = level0;
        for (int level = 1; level < TableMetadata.MAX_LEVEL; level++) {
            backlog = Math.max(backlog, 2 * bytes[level] / limitBytes(level));
        }
        return backlog;
    }

    /**
     * The largest level above the deepest, if those levels hold too much next to the deepest; or a
     * negative number. Each decision it leads to moves bytes down, so they come to an end.
     */
    private static int wasteful(List<TableMetadata> tables) {
        long[] bytes = new long[TableMetadata.MAX_LEVEL + 1];
        int deepest = 0;
        for (TableMetadata table : tables) {
            bytes[table.level()] += table.fileBytes();
            deepest = Math.max(deepest, table.level());
        }
        long above = 0;
        int largest = -1;
        for (int level = 1; level < deepest; level++) {
            above += bytes[level];
            if (bytes[level] > 0 && (largest < 0 || bytes[level] >= bytes[largest])) {
                largest = level;
            }
        }
        return above > bytes[deepest] / GROWTH ? largest : -1;
    }

    /** How full a level is: at 1 it is at its limit. */
    private double urgency(int level, List<TableMetadata> ofLevel) {
        if (level == 0) {
            return (double) ofLevel.size() / level0Tables;
        }
        double full = bytes(ofLevel) / limitBytes(level);
        return full > 1 ? full : 0;
    }

    private double limitBytes(int level) {
        return level1Bytes * Math.pow(GROWTH, level - 1.0);
    }

    private static List<TableMetadata> chooseFromLevel0(List<TableMetadata> tables) {
        return ofLevel(tables, 0).stream()
                .sorted(Comparator.comparingLong(TableMetadata::number))
                .limit(MAX_LEVEL_0_INPUTS)
                .toList();
    }

    /** The cheapest table that meets none that cannot be read, or null. */
    private static @Nullable TableMetadata chooseFrom(
            int level, List<TableMetadata> readable, List<TableMetadata> below, Set<Long> leftOut) {
        TableMetadata cheapest = null;
        double lowestCost = Double.POSITIVE_INFINITY;
        for (TableMetadata table : ofLevel(readable, level)) {
            List<TableMetadata> dragged = overlapping(List.of(table), below);
            double cost = bytes(dragged) / table.fileBytes();
            if ((cheapest == null || cost < lowestCost) && !meets(dragged, leftOut)) {
                cheapest = table;
                lowestCost = cost;
            }
        }
        return cheapest;
    }

    private static boolean meets(List<TableMetadata> tables, Set<Long> numbers) {
        return tables.stream().anyMatch(table -> numbers.contains(table.number()));
    }

    /**
     * Those of {@code candidates} that meet the key range which all of {@code tables} span
     * together. The whole range and not each table's own: the outputs may lie anywhere in it, and
     * must not meet a table that stays.
     */
    private static List<TableMetadata> overlapping(
            List<TableMetadata> tables, List<TableMetadata> candidates) {
        byte[] smallest = tables.getFirst().smallestKey();
        byte[] largest = tables.getFirst().largestKey();
        for (TableMetadata table : tables) {
            smallest = smaller(smallest, table.smallestKey());
            largest = larger(largest, table.largestKey());
        }
        List<TableMetadata> overlapping = new ArrayList<>();
        for (TableMetadata candidate : candidates) {
            if (Arrays.compareUnsigned(candidate.smallestKey(), largest) <= 0
                    && Arrays.compareUnsigned(candidate.largestKey(), smallest) >= 0) {
                overlapping.add(candidate);
            }
        }
        return overlapping;
    }

    private static byte[] smaller(byte[] a, byte[] b) {
        return Arrays.compareUnsigned(a, b) <= 0 ? a : b;
    }

    private static byte[] larger(byte[] a, byte[] b) {
        return Arrays.compareUnsigned(a, b) >= 0 ? a : b;
    }

    /** The tables of a level, by key. */
    private static List<TableMetadata> ofLevel(List<TableMetadata> tables, int level) {
        return tables.stream()
                .filter(table -> table.level() == level)
                .sorted(Comparator.comparing(TableMetadata::smallestKey, Arrays::compareUnsigned))
                .toList();
    }

    private static double bytes(List<TableMetadata> tables) {
        return tables.stream().mapToLong(TableMetadata::fileBytes).sum();
    }
}
