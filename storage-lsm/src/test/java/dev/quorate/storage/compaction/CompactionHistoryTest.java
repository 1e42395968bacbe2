package dev.quorate.storage.compaction;

import static dev.quorate.storage.sstable.Tables.DIRECTORY;
import static dev.quorate.storage.sstable.Tables.drain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.cursor.MergingCursor;
import dev.quorate.storage.io.MemoryFiles;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.sstable.Tables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random histories of tables: entries arrive in any order and are flushed; compactions run, are
 * cancelled, fail and are retried while cursors stay open. The tables always match their model, and
 * in the end no file is left over.
 */
class CompactionHistoryTest {

    private static final int HISTORIES = Scale.of(10_000, 20);

    /** A cursor opened earlier, and the entries that it must return. */
    private record Walk(EntryCursor cursor, List<Entry> expected) {}

    private static final class History {
        final Random random;
        final MemoryFiles files = new MemoryFiles();
        final StorageOptions options = StorageOptions.defaults().withBlockBytes(256);
        final Compactor compactor;
        final CompactionPicker picker;
        final AtomicLong numbers = new AtomicLong();
        final NavigableMap<byte[], Entry> model = Tables.newModel();
        final List<Walk> walks = new ArrayList<>();
        List<SSTable> tables = new ArrayList<>();
        int compactions;
        int interrupted;

        History(Random random) {
            this.random = random;
            this.compactor =
                    Compactions.compactor(files, DIRECTORY, options, 500 + random.nextInt(3000));
            this.picker = new CompactionPicker(1 + random.nextInt(4), 1000 + random.nextInt(5000));
        }

        void run() {
            for (int step = 0; step < 25; step++) {
                switch (random.nextInt(6)) {
                    case 0, 1 -> flush();
                    case 2, 3 -> compact();
                    case 4 -> walks.add(new Walk(open(tables), List.copyOf(model.values())));
                    default -> finishSomeWalk();
                }
                lookUp();
            }
            while (!walks.isEmpty()) {
                finishSomeWalk();
            }
            assertThat(drain(open(tables))).containsExactlyElementsOf(model.values());
            assertThat(files.list(DIRECTORY)).hasSameSizeAs(tables);
            tables.forEach(SSTable::verify);
            tables.forEach(SSTable::release);
            assertThat(files.openFiles()).isZero();
        }

        /**
         * A few entries of a few keys, whose timestamps are independent of their order of arrival.
         */
        void flush() {
            NavigableMap<byte[], Entry> memtable = Tables.newModel();
            for (int i = random.nextInt(30); i >= 0; i--) {
                Entry entry = entry();
                Tables.put(memtable, entry);
                Tables.put(model, entry);
            }
            long number = numbers.incrementAndGet();
            TableMetadata metadata = Tables.write(files, number, 0, options, memtable.values());
            tables.add(SSTable.open(files, DIRECTORY, metadata));
        }

        Entry entry() {
            byte[] key = Tables.bytes("key" + random.nextInt(60));
            Timestamp timestamp =
                    Tables.randomTimestamp(random, random.nextInt(40), random.nextInt(2));
            return random.nextInt(3) == 0
                    ? Entry.tombstone(key, timestamp, 3)
                    : Entry.value(key, timestamp, new byte[random.nextInt(80)], 3);
        }

        void compact() {
            List<TableMetadata> known = tables.stream().map(SSTable::metadata).toList();
            CompactionDecision decision = picker.pick(known, Set.of(), Set.of(), Set.of());
            if (decision == null) {
                return;
            }
            List<SSTable> inputs = new ArrayList<>();
            for (TableMetadata input : decision.inputs()) {
                inputs.add(
                        tables.stream()
                                .filter(table -> table.metadata().equals(input))
                                .findFirst()
                                .orElseThrow());
            }
            if (random.nextInt(3) == 0) {
                files.failAfter(random.nextInt(12));
            }
            AtomicInteger patience = new AtomicInteger(random.nextInt(200));
            List<TableMetadata> outputs;
            try {
                outputs =
                        Compactions.compact(
                                compactor,
                                decision,
                                inputs,
                                numbers::incrementAndGet,
                                () -> patience.decrementAndGet() == 0);
            } catch (CancellationException | StorageException.Io tryAgainLater) {
                interrupted++;
                return;
            } finally {
                files.failAfter(Long.MAX_VALUE);
            }
            compactions++;
            List<SSTable> next = new ArrayList<>(tables);
            next.removeAll(inputs);
            outputs.forEach(output -> next.add(SSTable.open(files, DIRECTORY, output)));
            tables = next;
            for (SSTable input : inputs) {
                input.markObsolete();
                input.release();
            }
        }

        void finishSomeWalk() {
            if (!walks.isEmpty()) {
                Walk walk = walks.remove(random.nextInt(walks.size()));
                assertThat(drain(walk.cursor)).isEqualTo(walk.expected);
            }
        }

        void lookUp() {
            for (int i = 0; i < 10; i++) {
                byte[] key = Tables.bytes("key" + random.nextInt(60));
                assertThat(newest(key)).isEqualTo(model.get(key));
            }
        }

        @Nullable Entry newest(byte[] key) {
            Entry newest = null;
            for (SSTable table : tables) {
                Entry entry = table.find(key, SSTable.hash(key));
                if (entry != null && (newest == null || entry.supersedes(newest))) {
                    newest = entry;
                }
            }
            return newest;
        }
    }

    private static EntryCursor open(List<SSTable> tables) {
        List<EntryCursor> cursors = new ArrayList<>();
        for (SSTable table : tables) {
            cursors.add(table.scan(new byte[0], null));
        }
        return new MergingCursor(cursors);
    }

    @Test
    void theTablesAlwaysMatchTheModel() {
        long seed = Tables.seed("theTablesAlwaysMatchTheModel");
        int compactions = 0;
        int interrupted = 0;
        for (int i = 0; i < HISTORIES; i++) {
            History history = new History(new Random(seed + i));
            try {
                history.run();
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("history " + i + " of seed " + seed, failure);
            }
            compactions += history.compactions;
            interrupted += history.interrupted;
        }
        assertThat(compactions).isGreaterThan(HISTORIES);
        assertThat(interrupted).isGreaterThan(HISTORIES / 4);
    }

    @Test
    void compactionsRunConcurrentlyWithReaders() throws Exception {
        long seed = Tables.seed("compactionsRunConcurrentlyWithReaders");
        for (int round = 0; round < 20; round++) {
            History history = new History(new Random(seed + round));
            for (int i = 0; i < 8; i++) {
                history.flush();
            }
            List<SSTable> tables = history.tables;
            List<Entry> expected = List.copyOf(history.model.values());
            try (ExecutorService executor = Executors.newFixedThreadPool(3)) {
                Future<List<TableMetadata>> first =
                        executor.submit(() -> merge(history, tables.subList(0, 4)));
                Future<List<TableMetadata>> second =
                        executor.submit(() -> merge(history, tables.subList(4, 8)));
                Future<List<Entry>> reader = executor.submit(() -> drain(open(tables)));
                assertThat(reader.get()).isEqualTo(expected);
                List<SSTable> merged = new ArrayList<>();
                for (TableMetadata output : first.get()) {
                    merged.add(SSTable.open(history.files, DIRECTORY, output));
                }
                for (TableMetadata output : second.get()) {
                    merged.add(SSTable.open(history.files, DIRECTORY, output));
                }
                assertThat(drain(open(merged))).isEqualTo(expected);
                long[] numbers = merged.stream().mapToLong(t -> t.metadata().number()).toArray();
                assertThat(Arrays.stream(numbers).distinct()).hasSize(merged.size());
            }
        }
    }

    private static List<TableMetadata> merge(History history, List<SSTable> inputs) {
        CompactionDecision decision =
                new CompactionDecision(inputs.stream().map(SSTable::metadata).toList(), 1);
        return Compactions.compact(
                history.compactor, decision, inputs, history.numbers::incrementAndGet, () -> false);
    }
}
