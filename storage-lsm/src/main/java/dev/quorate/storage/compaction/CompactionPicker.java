package dev.quorate.storage.compaction;

import dev.quorate.storage.sstable.TableMetadata;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

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
        int urgent = -1;
        double highest = 0;
        for (int level = 0; level < TableMetadata.MAX_LEVEL; level++) {
            double urgency = urgency(level, ofLevel(tables, level));
            if (urgency >= 1 && urgency > highest) {
                urgent = level;
                highest = urgency;
            }
        }
        if (urgent < 0) {
            urgent = wasteful(tables);
        }
        if (urgent < 0) {
            return CompactionDecision.Nothing.NOTHING;
        }
        List<TableMetadata> chosen =
                urgent == 0 ? chooseFromLevel0(tables) : List.of(chooseFrom(urgent, tables));
        List<TableMetadata> inputs = new ArrayList<>(chosen);
        inputs.addAll(overlapping(chosen, ofLevel(tables, urgent + 1)));
        return new CompactionDecision.Compact(inputs, urgent + 1);
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

    private static TableMetadata chooseFrom(int level, List<TableMetadata> tables) {
        List<TableMetadata> below = ofLevel(tables, level + 1);
        TableMetadata cheapest = null;
        double lowestCost = Double.POSITIVE_INFINITY;
        for (TableMetadata table : ofLevel(tables, level)) {
            double cost = bytes(overlapping(List.of(table), below)) / table.fileBytes();
            if (cheapest == null || cost < lowestCost) {
                cheapest = table;
                lowestCost = cost;
            }
        }
        if (cheapest == null) {
            throw new IllegalStateException("level " + level + " is full of nothing");
        }
        return cheapest;
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
