package dev.quorate.storage.compaction;

import static dev.quorate.storage.sstable.Tables.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.sstable.Tables;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Transcripts: the tables of a store, one level per line, each as {@code number:first-last:MiB},
 * and the picker's decision with limits of four tables for level 0 and 64 MiB for level 1.
 */
class CompactionPickerTest {

    private static final long MIB = 1 << 20;

    private final CompactionPicker picker = new CompactionPicker();

    @Test
    void anEmptyStoreNeedsNoCompaction() {
        assertDecision("", "nothing");
    }

    @Test
    void threeTablesOfLevel0NeedNoCompaction() {
        assertDecision("0: 1:a-z:16 2:a-z:16 3:a-z:16", "nothing");
    }

    @Test
    void fourTablesOfLevel0AreMerged() {
        assertDecision("0: 1:a-z:16 2:a-z:16 3:a-z:16 4:b-c:1", "1 2 3 4 -> level 1");
    }

    @Test
    void level0IsMergedWithEveryTableThatItsRangeOverlaps() {
        assertDecision(
                """
                0: 11:d-e:16 12:d-e:16 13:p-q:16 14:f-g:1
                1: 1:a-c:16 2:e-h:16 3:i-n:16 4:q-s:8 5:t-z:8
                """,
                "11 12 13 14 2 3 4 -> level 1");
    }

    @Test
    void aTableThatSharesOneKeyOverlaps() {
        assertDecision(
                """
                0: 11:d-m:1 12:d-m:1 13:d-m:1 14:d-m:1
                1: 1:a-d:16 2:m-p:16 3:q-z:16
                """,
                "11 12 13 14 1 2 -> level 1");
    }

    @Test
    void atMostTheSixteenOldestTablesOfLevel0AreMerged() {
        StringBuilder tables = new StringBuilder("0:");
        for (int number = 40; number > 0; number--) {
            tables.append(" ").append(number).append(":a-z:1");
        }
        assertThat(decide(tables.toString()))
                .isEqualTo("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 -> level 1");
    }

    @Test
    void aLevelAtItsLimitNeedsNoCompaction() {
        assertDecision("1: 1:a-f:16 2:g-l:16 3:m-r:16 4:s-z:16", "nothing");
    }

    @Test
    void aTableWithoutOverlapIsChosenFirst() {
        assertDecision(
                """
                1: 1:a-f:16 2:g-l:16 3:m-r:16 4:s-w:16 5:x-z:16
                2: 6:a-i:16 7:j-k:16 8:n-z:16
                """,
                // 1 overlaps 6; 2 overlaps 6 and 7; 3, 4 and 5 overlap 8: all but 2 have the same
                // cost.
                "1 6 -> level 2");
        assertDecision(
                """
                1: 1:a-f:16 2:g-l:16 3:m-r:16 4:s-w:16 5:x-z:16
                2: 6:a-l:16 8:s-z:16
                """,
                "3 -> level 2");
    }

    @Test
    void theCostIsPerByteMoved() {
        assertDecision(
                """
                1: 1:a-f:2 2:g-l:40 3:m-z:30
                2: 4:a-f:4 5:g-l:16 6:m-z:40
                """,
                "2 5 -> level 2");
    }

    @Test
    void eachLevelHasTenTimesTheLimitOfTheLevelAbove() {
        assertDecision("2: 1:a-l:320 2:m-z:320", "nothing");
        assertDecision("2: 1:a-l:320 2:m-z:321", "1 -> level 3");
        assertDecision("3: 1:a-l:3200 2:m-z:3200", "nothing");
        assertDecision("3: 1:a-l:3200 2:m-z:3201", "1 -> level 4");
    }

    @Test
    void unreadableTablesAreExcludedAndOthersAreCompacted() {
        String tables = "0: 1:a-z:16 2:a-z:16 3:a-z:16 4:b-c:1 5:d-e:1";
        assertThat(decide(tables, Set.of(2L), Set.of())).isEqualTo("1 3 4 5 -> level 1");
        assertThat(decide(tables, Set.of(2L, 3L), Set.of())).isEqualTo("nothing");
    }

    @Test
    void noOutputOverlapsAnUnreadableTable() {
        String tables =
                """
                1: 1:a-f:16 2:g-l:16 3:m-r:16 4:s-w:16 5:x-z:16
                2: 6:a-l:16 8:m-z:16
                """;
        assertThat(decide(tables, Set.of(6L), Set.of())).isEqualTo("3 8 -> level 2");
        assertThat(decide(tables, Set.of(6L, 8L), Set.of())).isEqualTo("nothing");
        // It blocks level 0 but not the next level.
        String stuck = "0: 11:a-z:1 12:a-z:1 13:a-z:1 14:a-z:1\n" + tables;
        assertThat(decide(stuck, Set.of(), Set.of())).isEqualTo("1 6 -> level 2");
        assertThat(decide(stuck, Set.of(5L, 6L, 8L), Set.of())).isEqualTo("nothing");
        assertThat(decide(stuck, Set.of(5L, 6L), Set.of())).isEqualTo("3 8 -> level 2");
    }

    @Test
    void anExpiredTableIsRewrittenAtItsLevelWhenNothingElseIsDue() {
        String tables = "1: 1:a-f:2 2:g-l:2\n2: 4:a-f:100 5:g-l:100";
        assertThat(decide(tables, Set.of(), Set.of(2L))).isEqualTo("2 -> level 1");
        assertThat(decide(tables, Set.of(), Set.of(5L, 1L))).isEqualTo("1 -> level 1");
        assertThat(decide(tables, Set.of(5L), Set.of(5L))).isEqualTo("nothing");
        assertThat(decide("0: 9:a-c:1\n" + tables, Set.of(), Set.of(9L)))
                .isEqualTo("9 1 -> level 1");
        assertThat(decide("0: 6:a-c:1 7:a-c:1 8:a-c:1 9:a-c:1\n" + tables, Set.of(), Set.of(5L)))
                .isEqualTo("6 7 8 9 1 -> level 1");
    }

    @Test
    void theBacklogIsLevel0OrTheExcessOfADeeperLevel() {
        String tables = "0: 9:a-c:1 8:a-z:1\n1: 1:a-f:300 2:g-l:20";
        assertThat(picker.backlog(parse(tables), Set.of())).isEqualTo(10);
        assertThat(picker.backlog(parse(tables), Set.of(1L))).isEqualTo(2);
        assertThat(picker.backlog(parse(tables), Set.of(1L, 9L))).isEqualTo(1);
        assertThat(picker.backlog(List.of(), Set.of())).isZero();
        String lastLevel = "6: 1:a-z:1000000000";
        assertThat(picker.backlog(parse(lastLevel), Set.of())).as("has no limit").isZero();
    }

    @Test
    void withALimitOfOneTableEachIsMerged() {
        CompactionDecision decision =
                new CompactionPicker(1, 1).pick(parse("0: 1:a-z:1"), Set.of(), Set.of(), Set.of());
        assertThat(show(decision)).isEqualTo("1 -> level 1");
    }

    @Test
    void theLastLevelHasNoLimit() {
        assertDecision("6: 1:a-z:1000000000", "nothing");
    }

    @Test
    void withoutUrgentWorkTheMiddleLevelsShrinkToATenthOfTheDeepest() {
        assertDecision("1: 1:a-z:16\n2: 2:a-z:160", "nothing");
        assertDecision("1: 1:a-z:17\n2: 2:a-z:160", "1 2 -> level 2");
        assertDecision("1: 1:a-z:10\n2: 2:a-l:50 3:m-z:60\n3: 4:a-z:1000", "3 4 -> level 3");
        assertDecision("1: 1:a-z:10\n2: 2:a-l:40 3:m-z:50\n3: 4:a-z:1000", "nothing");
        // Level 0 is urgent.
        assertDecision(
                "0: 5:a-z:1 6:a-z:1 7:a-z:1 8:a-z:1\n1: 1:a-z:60\n2: 2:a-z:160",
                "5 6 7 8 1 -> level 1");
    }

    /** Simulated stores of every size with all keys overwritten ten times; one entry is one MiB. */
    @Test
    void aStoreRewrittenTenTimesRetainsFewSupersededEntries() {
        Random random =
                new Random(Tables.seed("aStoreRewrittenTenTimesRetainsFewSupersededEntries"));
        for (int keys : new int[] {60, 70, 200, 600, 700, 1500}) {
            Map<TableMetadata, BitSet> tables = new HashMap<>();
            long[] number = new long[1];
            long written = 0;
            for (int flush = 0; flush < 10 * keys / 4; flush++) {
                BitSet flushed = new BitSet();
                for (int i = 0; i < 4; i++) {
                    flushed.set(flush < keys / 4 ? flush * 4 + i : random.nextInt(keys));
                }
                addTables(tables, flushed, 0, number);
                while (picker.pick(List.copyOf(tables.keySet()), Set.of(), Set.of(), Set.of())
                        instanceof CompactionDecision(var inputs, var level)) {
                    BitSet merged = new BitSet();
                    inputs.forEach(input -> merged.or(tables.remove(input)));
                    addTables(tables, merged, level, number);
                    written += merged.cardinality();
                }
            }
            long held = tables.values().stream().mapToLong(BitSet::cardinality).sum();
            assertThat((double) held / keys).as("of %s keys", keys).isLessThan(1.3);
            assertThat((double) written / (10 * keys)).as("writes, %s keys", keys).isLessThan(25);
        }
    }

    /** Tables of sixteen keys each. */
    private static void addTables(
            Map<TableMetadata, BitSet> tables, BitSet keys, int level, long[] number) {
        for (int from = keys.nextSetBit(0); from >= 0; ) {
            BitSet part = new BitSet();
            int last = from;
            while (from >= 0 && part.cardinality() < 16) {
                part.set(from);
                last = from;
                from = keys.nextSetBit(from + 1);
            }
            TableMetadata table =
                    table(
                            ++number[0],
                            level,
                            (char) ('\u1000' + part.nextSetBit(0)),
                            (char) ('\u1000' + last),
                            part.cardinality());
            tables.put(table, part);
        }
    }

    @Test
    void theLevelFurthestOverItsLimitGoesFirst() {
        assertDecision(
                """
                0: 11:a-z:1 12:a-z:1 13:a-z:1 14:a-z:1
                1: 1:a-l:16 2:m-z:49
                """,
                "1 -> level 2");
        assertDecision(
                """
                0: 11:a-z:1 12:a-z:1 13:a-z:1 14:a-z:1 15:a-z:1 16:a-z:1
                1: 1:a-l:16 2:m-z:49
                """,
                "11 12 13 14 15 16 1 2 -> level 1");
    }

    @Test
    void theDecisionIsIndependentOfTheOrderOfTheTables() {
        Random random = new Random(Tables.seed("theDecisionIsIndependentOfTheOrderOfTheTables"));
        List<TableMetadata> tables =
                parse(
                        """
                        0: 11:a-c:1 12:b-z:1 13:q-z:1 14:e-g:1
                        1: 1:a-f:16 2:g-l:16 3:m-r:16 4:s-w:16 5:x-z:16
                        2: 6:a-i:16 7:j-k:16 8:n-z:16
                        """);
        CompactionDecision decision = picker.pick(tables, Set.of(), Set.of(), Set.of());
        for (int i = 0; i < 50; i++) {
            List<TableMetadata> shuffled = new ArrayList<>(tables);
            Collections.shuffle(shuffled, random);
            assertThat(picker.pick(shuffled, Set.of(), Set.of(), Set.of())).isEqualTo(decision);
        }
    }

    /** Simulates continuous flushes and every decision; the levels stay within their limits. */
    @Test
    void levelsStayWithinTheirLimitsUnderContinuousFlushes() {
        Random random =
                new Random(Tables.seed("levelsStayWithinTheirLimitsUnderContinuousFlushes"));
        List<TableMetadata> tables = new ArrayList<>();
        long number = 0;
        for (int flush = 0; flush < 400; flush++) {
            char first = (char) ('a' + random.nextInt(26));
            char last = (char) (first + random.nextInt('z' - first + 1));
            tables.add(table(++number, 0, first, last, 1 + random.nextInt(16)));
            int steps = 0;
            while (picker.pick(tables, Set.of(), Set.of(), Set.of())
                    instanceof CompactionDecision(var inputs, var outputLevel)) {
                assertThat(++steps).isLessThan(1000);
                assertThat(tables).containsAll(inputs);
                tables.removeAll(inputs);
                List<TableMetadata> outputs = onPaper(inputs, outputLevel, number);
                tables.addAll(outputs);
                number = outputs.getLast().number();
                requireDisjoint(tables);
            }
            assertThat(tables.stream().filter(table -> table.level() == 0)).hasSizeLessThan(4);
        }
    }

    /** Possible outputs of a merge: one table for each letter. */
    private static List<TableMetadata> onPaper(
            List<TableMetadata> inputs, int level, long lastNumber) {
        char first = 'z';
        char last = 'a';
        long mib = 0;
        for (TableMetadata input : inputs) {
            first = (char) Math.min(first, input.smallestKey()[0]);
            last = (char) Math.max(last, input.largestKey()[0]);
            mib += input.fileBytes() / MIB;
        }
        List<TableMetadata> outputs = new ArrayList<>();
        int letters = last - first + 1;
        for (char letter = first; letter <= last; letter++) {
            long number = lastNumber + outputs.size() + 1;
            outputs.add(table(number, level, letter, letter, 1 + mib / letters));
        }
        return outputs;
    }

    @Test
    void tombstonesAreMergedWithTheEntriesTheyMayShadow() {
        String below = "1: 4:a-m:10\n2: 5:a-z:500";
        assertThat(collect(below, 4)).as("merged downwards").isEqualTo("4 5 -> level 2");
        assertThat(collect(below, 5)).as("merged from above").isEqualTo("4 5 -> level 2");
        assertThat(collect("2: 5:a-z:500", 5)).as("alone").isEqualTo("5 -> level 2");
        assertThat(collect("1: 4:n-z:10\n2: 5:a-m:500", 5)).isEqualTo("5 -> level 2");
        assertThat(collect("1: 4:a-m:10\n3: 5:a-z:500", 4)).isEqualTo("4 -> level 2");
        assertThat(collect("0: 9:a-b:1\n2: 5:a-z:500", 5)).isEqualTo("9 -> level 1");
        assertThat(collect("0: 9:a-b:1", 9)).isEqualTo("9 -> level 1");
        String twoAbove = "1: 4:a-m:10\n2: 6:a-m:10\n3: 5:a-z:500";
        assertThat(collect(twoAbove, 5)).as("the deepest first").isEqualTo("6 5 -> level 3");
        Set<Long> none = Set.of();
        assertThat(decide(below, Set.of(5L), none, Set.of(4L))).isEqualTo("nothing");
        assertThat(decide(below, Set.of(4L), none, Set.of(5L))).isEqualTo("nothing");
        assertThat(decide(below, none, none, none)).isEqualTo("nothing");
    }

    @Test
    void tablesNewerThanAllTombstonesAreNotMergedWithThem() {
        TableMetadata newer = stamped(4, 1, 10, 8, 9);
        TableMetadata sameAge = stamped(4, 1, 10, 7, 9);
        TableMetadata tombstones = stamped(5, 2, 500, 1, 7);
        assertThat(show(picker.pick(List.of(newer, tombstones), Set.of(), Set.of(), Set.of(5L))))
                .isEqualTo("5 -> level 2");
        assertThat(show(picker.pick(List.of(sameAge, tombstones), Set.of(), Set.of(), Set.of(5L))))
                .isEqualTo("4 5 -> level 2");
    }

    private static TableMetadata stamped(
            long number, int level, long mib, long oldest, long newest) {
        return new TableMetadata(
                number,
                level,
                mib * MIB,
                1,
                0,
                bytes("a"),
                bytes("z"),
                new Timestamp(oldest, 1),
                new Timestamp(newest, 1));
    }

    private String collect(String tables, long collectable) {
        return decide(tables, Set.of(), Set.of(), Set.of(collectable));
    }

    private static void requireDisjoint(List<TableMetadata> tables) {
        for (TableMetadata a : tables) {
            for (TableMetadata b : tables) {
                if (a.number() != b.number() && a.level() == b.level() && a.level() > 0) {
                    assertThat(a.overlaps(b)).as("%s and %s", show(a), show(b)).isFalse();
                }
            }
        }
    }

    private void assertDecision(String tables, String expected) {
        assertThat(decide(tables)).isEqualTo(expected);
    }

    private String decide(String tables) {
        return decide(tables, Set.of(), Set.of());
    }

    private String decide(String tables, Set<Long> leftOut, Set<Long> expired) {
        return decide(tables, leftOut, expired, Set.of());
    }

    private String decide(
            String tables, Set<Long> leftOut, Set<Long> expired, Set<Long> collectable) {
        return show(picker.pick(parse(tables), leftOut, expired, collectable));
    }

    private static String show(@Nullable CompactionDecision decision) {
        return decision == null
                ? "nothing"
                : decision.inputs().stream()
                                .map(table -> "" + table.number())
                                .collect(Collectors.joining(" "))
                        + " -> level "
                        + decision.outputLevel();
    }

    private static List<TableMetadata> parse(String text) {
        List<TableMetadata> tables = new ArrayList<>();
        for (String line : text.lines().toList()) {
            String[] words = line.strip().split("[ ]+", -1);
            int level = Integer.parseInt(words[0].replace(":", ""));
            for (int i = 1; i < words.length; i++) {
                String[] parts = words[i].split("[:-]", -1);
                tables.add(
                        table(
                                Long.parseLong(parts[0]),
                                level,
                                parts[1].charAt(0),
                                parts[2].charAt(0),
                                Long.parseLong(parts[3])));
            }
        }
        return tables;
    }

    private static TableMetadata table(long number, int level, char first, char last, long mib) {
        return new TableMetadata(
                number,
                level,
                mib * MIB,
                1,
                0,
                bytes("" + first),
                bytes("" + last),
                Timestamp.ZERO,
                Timestamp.ZERO);
    }

    private static String show(TableMetadata table) {
        return table.number()
                + ":"
                + new String(table.smallestKey(), UTF_8)
                + "-"
                + new String(table.largestKey(), UTF_8);
    }
}
