package dev.quorate.storage.compaction;

import dev.quorate.storage.sstable.TableMetadata;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides which tables to merge next: a pure function of the tables' metadata. Leveled compaction
 * as in LevelDB ({@code doc/impl.md}): flushed memtables enter level 0, and tables move down.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Tables of level 0 may overlap, tables of a deeper level may not: a scan reads one table of
 *       each. So a merge into a level includes its tables that overlap the chosen ones.
 *   <li>Unreadable tables are never inputs, and no merge is chosen whose output would overlap one
 *       of its own level.
 *   <li>The choice never changes the result of a read, so it concerns cost alone: timestamps order
 *       the entries, readers search every table that may contain a key, and a level implies nothing
 *       about age.
 *   <li>Steps 2 and 4 end: each decision moves bytes down, or is the last for its table.
 * </ol>
 *
 * <p>{@link #pick} returns the first merge that it finds, in this order:
 *
 * <ol>
 *   <li>Levels over their limits, the one furthest over first. Level 0 is limited in tables, and
 *       merged lowest numbers first; the limit of each level below level 1 is ten times that of the
 *       level above. A deeper level merges the table with the fewest overlapping bytes in the next
 *       level per byte of its own.
 *   <li>If the levels between level 0 and the deepest together exceed a tenth of the deepest: the
 *       largest of them. Their entries may supersede deeper ones, so this bounds the space of
 *       superseded entries in a store of any size.
 *   <li>Tables with expired values or entries to discard, each rewritten alone; one in level 0 is
 *       merged with its level.
 *   <li>Tables with droppable tombstones ({@link #collect}).
 * </ol>
 *
 * <p>Dropped: LevelDB's rotation through the keys, which has to persist its position and writes
 * more; and fixed limits alone, with which a store that has just outgrown a level may store most
 * keys twice. RocksDB's {@code level_compaction_dynamic_level_bytes} has the same purpose.
 */
public final class CompactionPicker {

    /** The default number of tables at which level 0 is merged. */
    public static final int LEVEL_0_TABLES = 4;

    /** The default limit of level 1, in bytes. */
    public static final long LEVEL_1_BYTES = 64L << 20;

    /**
     * Maximum number of tables of level 0 in one compaction, lowest numbers first. Bounds the
     * memory and the duration of a compaction.
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

    /**
     * The most urgent compaction, or null.
     *
     * @param tables all tables of the store
     * @param excluded numbers of unreadable tables. They are never inputs, and no output below
     *     level 0 overlaps one in the same level
     * @param rewritable numbers of tables to rewrite for their expired values or for entries to
     *     discard
     * @param collectable numbers of tables worth compacting for droppable tombstones, together with
     *     older entries in other tables
     */
    public @Nullable CompactionDecision pick(
            List<TableMetadata> tables,
            Set<Long> excluded,
            Set<Long> rewritable,
            Set<Long> collectable) {
        List<TableMetadata> readable =
                tables.stream().filter(table -> !excluded.contains(table.number())).toList();
        CompactionDecision decision = null;
        for (int level : byUrgency(readable)) {
            decision = mergeLevel(level, readable, tables, excluded);
            if (decision != null) {
                return decision;
            }
        }
        int wasteful = wasteful(readable);
        if (wasteful >= 0) {
            decision = mergeLevel(wasteful, readable, tables, excluded);
        }
        if (decision == null) {
            // A table is rewritten alone, at its level: its entries are judged by themselves.
            decision =
                    firstFor(
                            rewritable,
                            readable,
                            tables,
                            excluded,
                            table -> new CompactionDecision(List.of(table), table.level()));
        }
        return decision != null
                ? decision
                : firstFor(
                        collectable,
                        readable,
                        tables,
                        excluded,
                        table -> collect(table, readable, tables, excluded));
    }

    /** The levels over their limits, the one furthest over first. */
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

    /** Merges level 0, or the cheapest table of a deeper level, into the next. */
    private static @Nullable CompactionDecision mergeLevel(
            int level, List<TableMetadata> readable, List<TableMetadata> all, Set<Long> excluded) {
        List<TableMetadata> chosen =
                level == 0
                        ? chooseFromLevel0(readable)
                        : chooseFrom(level, readable, ofLevel(all, level + 1), excluded);
        return mergeDown(chosen, all, excluded);
    }

    /**
     * Merges tables of one level with the overlapping tables of the next, unless one of these is
     * excluded.
     */
    private static @Nullable CompactionDecision mergeDown(
            List<TableMetadata> chosen, List<TableMetadata> all, Set<Long> excluded) {
        if (chosen.isEmpty()) {
            return null;
        }
        int next = chosen.getFirst().level() + 1;
        List<TableMetadata> overlap = overlapping(chosen, ofLevel(all, next));
        if (containsAny(overlap, excluded)) {
            return null;
        }
        List<TableMetadata> inputs = new ArrayList<>(chosen);
        inputs.addAll(overlap);
        return new CompactionDecision(inputs, next);
    }

    /** The first possible compaction for a candidate; one of level 0 is merged with its level. */
    private static @Nullable CompactionDecision firstFor(
            Set<Long> candidates,
            List<TableMetadata> readable,
            List<TableMetadata> all,
            Set<Long> excluded,
            Function<TableMetadata, @Nullable CompactionDecision> belowLevel0) {
        for (TableMetadata table : readable) {
            if (candidates.contains(table.number())) {
                CompactionDecision decision =
                        table.level() == 0
                                ? mergeLevel(0, readable, all, excluded)
                                : belowLevel0.apply(table);
                if (decision != null) {
                    return decision;
                }
            }
        }
        return null;
    }

    /**
     * Merges a table downwards until no deeper table overlaps it, then merges into it the tables
     * above that may contain entries older than its tombstones. Only then is it rewritten alone,
     * which drops all its tombstones. Each decision moves bytes down or is the last one for its
     * table, so the sequence ends.
     */
    private static @Nullable CompactionDecision collect(
            TableMetadata table,
            List<TableMetadata> readable,
            List<TableMetadata> all,
            Set<Long> excluded) {
        TableMetadata above = null;
        for (TableMetadata other : all) {
            if (other.level() > table.level() && other.overlaps(table)) {
                return mergeDown(List.of(table), all, excluded);
            }
            boolean mayContainOlder =
                    other.level() < table.level()
                            && other.overlaps(table)
                            && !other.oldest().isAfter(table.newest());
            if (mayContainOlder && (above == null || other.level() > above.level())) {
                above = other;
            }
        }
        if (above == null) {
            return new CompactionDecision(List.of(table), table.level());
        }
        if (above.level() == 0) {
            return mergeLevel(0, readable, all, excluded);
        }
        return excluded.contains(above.number()) ? null : mergeDown(List.of(above), all, excluded);
    }

    /**
     * The compaction backlog, in tables of level 0: their number or, if larger, twice the ratio of
     * a deeper level's bytes to its limit. A level of four times its limit counts as eight tables.
     *
     * @param excluded numbers of unreadable tables, which do not count
     */
    public double backlog(List<TableMetadata> tables, Set<Long> excluded) {
        long[] bytes = new long[TableMetadata.MAX_LEVEL + 1];
        int level0 = 0;
        for (TableMetadata table : tables) {
            if (!excluded.contains(table.number())) {
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
     * The largest level between level 0 and the deepest, if these levels together exceed their
     * share of the deepest; otherwise a negative number. Each resulting decision moves bytes down,
     * so the sequence ends.
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

    /** The ratio of a level's size to its limit; 0 for a deeper level within its limit. */
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

    /** The cheapest table that overlaps no excluded table; empty if none. */
    private static List<TableMetadata> chooseFrom(
            int level,
            List<TableMetadata> readable,
            List<TableMetadata> below,
            Set<Long> excluded) {
        TableMetadata cheapest = null;
        double lowestCost = Double.POSITIVE_INFINITY;
        for (TableMetadata table : ofLevel(readable, level)) {
            List<TableMetadata> overlap = overlapping(List.of(table), below);
            double cost = bytes(overlap) / table.fileBytes();
            if ((cheapest == null || cost < lowestCost) && !containsAny(overlap, excluded)) {
                cheapest = table;
                lowestCost = cost;
            }
        }
        return cheapest == null ? List.of() : List.of(cheapest);
    }

    private static boolean containsAny(List<TableMetadata> tables, Set<Long> numbers) {
        return tables.stream().anyMatch(table -> numbers.contains(table.number()));
    }

    /**
     * The {@code candidates} that overlap the key range spanned by all of {@code tables}. The range
     * includes gaps between tables: an output may span a gap, and must not overlap a remaining
     * table.
     */
    private static List<TableMetadata> overlapping(
            List<TableMetadata> tables, List<TableMetadata> candidates) {
        byte[] smallest =
                Collections.min(
                        tables.stream().map(TableMetadata::smallestKey).toList(),
                        Arrays::compareUnsigned);
        byte[] largest =
                Collections.max(
                        tables.stream().map(TableMetadata::largestKey).toList(),
                        Arrays::compareUnsigned);
        return candidates.stream()
                .filter(each -> Arrays.compareUnsigned(each.smallestKey(), largest) <= 0)
                .filter(each -> Arrays.compareUnsigned(each.largestKey(), smallest) >= 0)
                .toList();
    }

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
