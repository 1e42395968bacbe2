package dev.quorate.storage.compaction;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static dev.quorate.storage.sstable.Tables.bytes;
import static dev.quorate.storage.sstable.Tables.drain;
import static dev.quorate.storage.sstable.Tables.tombstone;
import static dev.quorate.storage.sstable.Tables.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Kept;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MemoryFiles;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.sstable.Tables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * A compaction retains the newest entry of each key, and leaves either all of its outputs or none.
 */
class CompactorTest {

    private static final StorageOptions OPTIONS = StorageOptions.defaults().withBlockBytes(256);

    private final MemoryFiles files = new MemoryFiles();
    private final AtomicLong numbers = new AtomicLong();
    private final Compactor compactor = Compactions.compactor(files, DIRECTORY, OPTIONS, 4096);

    private SSTable table(int level, Iterable<Entry> entries) {
        long number = numbers.incrementAndGet();
        return open(Tables.write(files, number, level, OPTIONS, entries));
    }

    private SSTable open(TableMetadata metadata) {
        return SSTable.open(files, DIRECTORY, metadata);
    }

    private static CompactionDecision into(int level, List<SSTable> inputs) {
        return new CompactionDecision(inputs.stream().map(SSTable::metadata).toList(), level);
    }

    private List<TableMetadata> compact(int level, List<SSTable> inputs) {
        return Compactions.compact(
                compactor, into(level, inputs), inputs, numbers::incrementAndGet, () -> false);
    }

    private List<Entry> everythingIn(List<TableMetadata> tables) {
        List<Entry> entries = new ArrayList<>();
        for (TableMetadata metadata : tables) {
            SSTable table = open(metadata);
            table.verify();
            entries.addAll(drain(table.scan(new byte[0], null)));
            table.release();
        }
        return entries;
    }

    @Test
    void theNewestEntryIsRetainedFromAnyLevel() {
        List<SSTable> inputs =
                List.of(
                        table(0, List.of(value("a", 5, "new"), value("b", 1, "old"))),
                        table(0, List.of(value("a", 3, "late"), tombstone("b", 2))),
                        table(1, List.of(value("a", 4, "old"), value("c", 1, "only"))));

        List<TableMetadata> outputs = compact(1, inputs);

        assertThat(everythingIn(outputs))
                .containsExactly(value("a", 5, "new"), tombstone("b", 2), value("c", 1, "only"));
        assertThat(outputs).hasSize(1);
        assertThat(outputs.getFirst().level()).isEqualTo(1);
        assertThat(outputs.getFirst().tombstones()).isEqualTo(1);
    }

    @Test
    void tombstonesAreRetainedEvenAtTheDeepestLevel() {
        List<SSTable> inputs = List.of(table(5, List.of(tombstone("a", 1))));
        assertThat(everythingIn(compact(6, inputs))).containsExactly(tombstone("a", 1));
    }

    @Test
    void duplicatesOfAnEntryAreMerged() {
        Entry entry = value("a", 1, "same");
        List<SSTable> inputs = List.of(table(0, List.of(entry)), table(0, List.of(entry)));
        assertThat(everythingIn(compact(1, inputs))).containsExactly(entry);
    }

    @Test
    void outputsAreBoundedDisjointAndMatchTheModel() throws IOException {
        Random random = new Random(Tables.seed("outputsAreBoundedDisjointAndMatchTheModel"));
        for (int round = 0; round < 40; round++) {
            NavigableMap<byte[], Entry> model = Tables.newModel();
            List<SSTable> inputs = new ArrayList<>();
            int overlapping = 1 + random.nextInt(6);
            for (int i = 0; i < overlapping; i++) {
                NavigableMap<byte[], Entry> own =
                        Tables.randomModel(random, 1 + random.nextInt(200));
                own.values().forEach(entry -> Tables.put(model, entry));
                inputs.add(table(0, own.values()));
            }
            for (List<Entry> part : disjointParts(random)) {
                part.forEach(entry -> Tables.put(model, entry));
                inputs.add(table(1, part));
            }

            List<TableMetadata> outputs = compact(1, inputs);

            assertThat(everythingIn(outputs)).containsExactlyElementsOf(model.values());
            for (int i = 1; i < outputs.size(); i++) {
                assertThat(outputs.get(i).overlaps(outputs.get(i - 1))).isFalse();
            }
            for (TableMetadata output : outputs) {
                assertThat(output.fileBytes()).isLessThan(4096 + 80_000);
            }
            inputs.forEach(SSTable::release);
            for (String name : files.list(DIRECTORY)) {
                files.delete(DIRECTORY.resolve(name));
            }
        }
        assertThat(files.openFiles()).isZero();
    }

    private static List<List<Entry>> disjointParts(Random random) {
        List<Entry> all = List.copyOf(Tables.randomModel(random, 300).values());
        List<List<Entry>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); ) {
            int to = Math.min(all.size(), from + 1 + random.nextInt(150));
            parts.add(all.subList(from, to));
            from = to;
        }
        Collections.shuffle(parts, random);
        return parts;
    }

    private List<SSTable> threeInputs() {
        Random random = new Random(3);
        List<SSTable> inputs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            inputs.add(table(0, Tables.randomModel(random, 150).values()));
        }
        return inputs;
    }

    @Test
    void aCancellationLeavesNoFile() {
        List<SSTable> inputs = threeInputs();
        List<String> before = files.list(DIRECTORY);
        int cancellations = 0;
        for (int after = 0; after < 1000; after += 7) {
            AtomicInteger asked = new AtomicInteger(after);
            try {
                Compactions.compact(
                        compactor,
                        into(1, inputs),
                        inputs,
                        numbers::incrementAndGet,
                        () -> asked.getAndDecrement() == 0);
                break;
            } catch (CancellationException expected) {
                cancellations++;
            }
            assertThat(files.list(DIRECTORY)).isEqualTo(before);
        }
        assertThat(cancellations).isGreaterThan(20);
        inputs.forEach(SSTable::release);
        assertThat(files.openFiles()).isZero();
    }

    @Test
    void aDiskFailureLeavesNoFile() {
        List<SSTable> inputs = threeInputs();
        List<String> before = files.list(DIRECTORY);
        int failures = 0;
        for (int writes = 0; ; writes++) {
            files.failAfter(writes);
            try {
                compact(1, inputs);
                break;
            } catch (StorageException.Io expected) {
                failures++;
            }
            assertThat(files.list(DIRECTORY)).isEqualTo(before);
        }
        assertThat(failures).isGreaterThan(10);
        inputs.forEach(SSTable::release);
        assertThat(files.openFiles()).isZero();
    }

    @Test
    void aDamagedInputFailsTheCompaction() {
        List<SSTable> inputs = threeInputs();
        List<String> before = files.list(DIRECTORY);
        SSTable damaged = damaged(inputs.get(1));
        List<SSTable> reopened = List.of(inputs.get(0), damaged, inputs.get(2));

        assertThatThrownBy(() -> compact(1, reopened)).isInstanceOf(CorruptionException.class);
        assertThat(files.list(DIRECTORY)).isEqualTo(before);

        Merge merge = begin(1, reopened, tombstone -> false);
        assertThatThrownBy(() -> merge.advance(Long.MAX_VALUE / 2))
                .isInstanceOfSatisfying(
                        UnreadableInputException.class,
                        unreadable -> {
                            String table = FileNames.table(damaged.metadata().number());
                            assertThat(unreadable.reason())
                                    .isInstanceOf(CorruptionException.class)
                                    .hasMessageContaining(table);
                        });
        merge.abandon();
        assertThat(files.list(DIRECTORY)).isEqualTo(before);
        reopened.forEach(SSTable::release);
        assertThat(files.openFiles()).isZero();
    }

    /** The table reopened with a flipped bit in a block. */
    private SSTable damaged(SSTable table) {
        Path path = DIRECTORY.resolve(FileNames.table(table.metadata().number()));
        byte[] damaged = files.read(path);
        damaged[damaged.length / 3] ^= 4;
        files.replace(path, damaged);
        table.release();
        return open(table.metadata());
    }

    private Merge begin(int level, List<SSTable> inputs, Predicate<Entry> droppable) {
        return compactor.begin(
                into(level, inputs),
                inputs,
                numbers::incrementAndGet,
                Compactions.rules(droppable, null),
                () -> false);
    }

    private SSTable hundredKeys(IntFunction<Entry> entry) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 100; i < 200; i++) {
            entries.add(entry.apply(i));
        }
        return table(2, entries);
    }

    /** Steps of bounded size allow throttling. */
    @Test
    void aStepOfAMergeWritesAboutTheRequestedBytes() {
        List<SSTable> inputs = List.of(hundredKeys(i -> value("key " + i, 1, "v".repeat(100))));
        Merge merge = begin(3, inputs, tombstone -> false);
        assertThat(merge.progress()).isZero();
        long written = merge.bytesWritten();
        double progress = 0;
        int parts = 0;
        while (merge.advance(1_000)) {
            assertThat(merge.bytesWritten() - written).isBetween(1_000L, 2_000L);
            assertThat(merge.progress()).isGreaterThan(progress).isLessThan(1.01);
            written = merge.bytesWritten();
            progress = merge.progress();
            parts++;
        }
        assertThat(parts).isBetween(5, 20);
        assertThat(merge.progress()).isEqualTo(1);
        assertThat(merge.finish()).hasSizeGreaterThan(1);
    }

    /** Dropping costs time too. */
    @Test
    void droppedEntriesCountAsWritten() {
        List<String> before = files.list(DIRECTORY);
        List<SSTable> inputs = List.of(hundredKeys(i -> tombstone("key " + i, 1)));
        Merge merge = begin(3, inputs, tombstone -> true);
        assertThat(merge.advance(10 * (7 + 32))).isTrue();
        assertThat(merge.dropped()).isEqualTo(10);
        assertThat(merge.advance(Long.MAX_VALUE / 2)).isFalse();
        assertThat(merge.dropped()).isEqualTo(100);
        assertThat(merge.finish()).isEmpty();
        assertThat(files.list(DIRECTORY)).hasSize(before.size() + 1);
    }

    private Merge beginKeeping(Kept keep, List<SSTable> inputs) {
        return compactor.begin(
                into(1, inputs),
                inputs,
                numbers::incrementAndGet,
                Compactions.rules(tombstone -> false, keep),
                () -> false);
    }

    @Test
    void theNewestEntryOfAKeyDecidesWhetherItIsKept() {
        Entry left = Entry.value(bytes("a"), new Timestamp(2, 1), bytes("new"), 9);
        Entry stays = Entry.value(bytes("b"), new Timestamp(2, 1), bytes("new"), 2);
        List<SSTable> inputs =
                List.of(
                        table(
                                0,
                                List.of(
                                        left,
                                        stays,
                                        Entry.tombstone(bytes("c"), left.timestamp(), 9))),
                        table(
                                1,
                                List.of(
                                        value("a", 1, "old"),
                                        value("b", 1, "old"),
                                        tombstone("d", 1))));
        Merge merge = beginKeeping((key, from) -> from != 9, inputs);
        assertThat(merge.advance(Long.MAX_VALUE / 2)).isFalse();
        assertThat(merge.dropped()).isZero();
        assertThat(everythingIn(merge.finish())).containsExactly(stays, tombstone("d", 1));
    }

    /** Values that were read cost their length, too. */
    @Test
    void entriesThatAreNotKeptCountAsWritten() {
        AtomicInteger tested = new AtomicInteger();
        Kept nothing = (key, from) -> tested.incrementAndGet() < 0;
        Merge values =
                beginKeeping(
                        nothing, List.of(hundredKeys(i -> value("key " + i, 1, "v".repeat(50)))));
        assertThat(values.advance(10 * (7 + 50 + 32))).isTrue();
        assertThat(tested).hasValue(10);
        assertThat(values.advance(Long.MAX_VALUE / 2)).isFalse();
        assertThat(values.finish()).isEmpty();
        tested.set(0);
        Merge longValues =
                beginKeeping(
                        nothing,
                        List.of(hundredKeys(i -> value("key " + i, 1, "v".repeat(33_000)))));
        assertThat(longValues.advance(10 * (7 + 32))).isTrue();
        assertThat(tested).hasValue(10);
        longValues.abandon();
    }

    /** Bytes that are left out count as written, so that a step stays short. */
    @Test
    void valuesAreShortened() {
        List<SSTable> inputs =
                List.of(
                        table(
                                1,
                                List.of(
                                        value("a", 1, "a".repeat(1_000)),
                                        value("b", 1, "b".repeat(33_000)),
                                        value("c", 1, "c".repeat(33_000)),
                                        tombstone("d", 1))));
        Merge.Rules rules =
                new Merge.Rules(
                        tombstone -> false,
                        null,
                        (key, value) -> {
                            byte[] start = new byte[3];
                            value.copy(0, start, 3);
                            return key[0] == 'c' ? null : start;
                        });
        Merge merge =
                compactor.begin(
                        into(2, inputs), inputs, numbers::incrementAndGet, rules, () -> false);
        assertThat(merge.advance(900)).isTrue();
        assertThat(merge.progress()).isEqualTo(0.25);
        assertThat(merge.advance(30_000)).isTrue();
        assertThat(merge.progress()).isEqualTo(0.5);
        assertThat(merge.advance(Long.MAX_VALUE / 2)).isFalse();
        assertThat(everythingIn(merge.finish()))
                .containsExactly(
                        value("a", 1, "aaa"),
                        value("b", 1, "bbb"),
                        value("c", 1, "c".repeat(33_000)),
                        tombstone("d", 1));
    }

    @Test
    void onlyDroppableTombstonesAreDropped() {
        List<SSTable> inputs =
                List.of(table(1, List.of(tombstone("a", 1), tombstone("b", 2), value("c", 1, ""))));
        Merge merge = begin(2, inputs, each -> each.timestamp().hybrid() == 1);
        assertThat(merge.advance(Long.MAX_VALUE / 2)).isFalse();
        assertThat(merge.dropped()).isEqualTo(1);
        assertThat(everythingIn(merge.finish()))
                .containsExactly(tombstone("b", 2), value("c", 1, ""));
    }

    /** A clock that is wrong for some minutes must not destroy a value. */
    @Test
    void anExpiredValueBecomesATombstoneOnlyAfterTheGracePeriod() {
        Entry expiring = Entry.expiring(bytes("a"), new Timestamp(1, 1), bytes("v"), 3, 5_000);
        long end = 5_000 + Compactor.EXPIRY_GRACE_MILLIS;
        assertThat(compactedAt(end - 1, expiring)).containsExactly(expiring);
        assertThat(compactedAt(end, expiring)).containsExactly(tombstone("a", 1));
    }

    private List<Entry> compactedAt(long wallMillis, Entry entry) {
        List<SSTable> inputs = List.of(table(1, List.of(entry)));
        return everythingIn(
                Compactions.compact(
                        new Compactor(files, DIRECTORY, OPTIONS, 4096, () -> wallMillis),
                        into(1, inputs),
                        inputs,
                        numbers::incrementAndGet,
                        () -> false));
    }

    @Test
    void salvageRewritesTheReadableEntries() {
        List<Entry> entries = new ArrayList<>();
        SSTable whole =
                hundredKeys(
                        i -> {
                            entries.add(value("key " + i, 1, "v".repeat(50)));
                            return entries.getLast();
                        });
        SSTable table = damaged(whole);
        List<String> before = files.list(DIRECTORY);

        Compactor.Salvaged refused =
                compactor.salvage(
                        table, numbers::incrementAndGet, null, lost -> false, () -> false);
        assertThat(refused.outputs()).isEmpty();
        assertThat(files.list(DIRECTORY)).isEqualTo(before);

        AtomicInteger patience = new AtomicInteger(90);
        assertThatThrownBy(
                        () ->
                                compactor.salvage(
                                        table,
                                        numbers::incrementAndGet,
                                        null,
                                        lost -> true,
                                        () -> patience.decrementAndGet() == 0))
                .isInstanceOf(CancellationException.class);
        assertThat(files.list(DIRECTORY)).isEqualTo(before);

        Compactor.Salvaged salvaged =
                compactor.salvage(table, numbers::incrementAndGet, null, lost -> true, () -> false);
        assertThat(salvaged.lost()).hasSize(1).isEqualTo(refused.lost());
        assertThat(salvaged.outputs()).hasSizeGreaterThan(1).allMatch(each -> each.level() == 2);
        KeyRange lost = salvaged.lost().getFirst();
        assertThat(
                        entries.removeIf(
                                entry ->
                                        lost.covers(
                                                new KeyRange(
                                                        entry.key(), KeyRange.after(entry.key())))))
                .isTrue();
        assertThat(everythingIn(salvaged.outputs())).isEqualTo(entries);
        byte[] first = entries.getFirst().key();
        Kept firstAlone = (key, from) -> from == 3 && Arrays.equals(key, first);
        Compactor.Salvaged one =
                compactor.salvage(
                        table, numbers::incrementAndGet, firstAlone, each -> true, () -> false);
        assertThat(everythingIn(one.outputs())).containsExactly(entries.getFirst());
        table.release();
        assertThat(files.openFiles()).isZero();
    }

    @Test
    void inputsOtherThanThoseOfTheDecisionAreRejected() {
        List<SSTable> inputs = List.of(table(0, List.of(value("a", 1, ""))));
        List<SSTable> others = List.of(table(0, List.of(value("b", 1, ""))));
        assertThatThrownBy(
                        () ->
                                Compactions.compact(
                                        compactor,
                                        into(1, inputs),
                                        others,
                                        numbers::incrementAndGet,
                                        () -> false))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
