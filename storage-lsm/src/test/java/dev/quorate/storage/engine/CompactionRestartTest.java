package dev.quorate.storage.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A store whose compactions run in small steps is closed, killed and reopened at any moment while
 * cursors are open. It always matches its model, every cursor returns all entries from its opening,
 * and in the end no file is left over.
 */
class CompactionRestartTest {

    private static final int HISTORIES = Boolean.getBoolean("quorate.long") ? 1_000 : 60;

    private static final StorageOptions SLOW = Model.TINY.withCompactionBytesPerSecond(1_000_000);

    /** A cursor opened earlier, and the entries that it must return at least. */
    private record Walk(EntryCursor cursor, List<Entry> expected) {

        static Walk begin(LsmStore store) {
            return new Walk(store.scan(new byte[0], null), drain(store.scan(new byte[0], null)));
        }

        private static List<Entry> drain(EntryCursor cursor) {
            List<Entry> entries = new ArrayList<>();
            try (cursor) {
                while (cursor.next()) {
                    entries.add(cursor.entry());
                }
            }
            return entries;
        }

        /** Entries written to the active memtable since may or may not be returned. */
        void finish() {
            Map<String, Entry> seen = new HashMap<>();
            for (Entry entry : drain(cursor)) {
                seen.put(new String(entry.key(), UTF_8), entry);
            }
            for (Entry entry : expected) {
                Entry found = seen.get(new String(entry.key(), UTF_8));
                assertThat(found).as("found for %s", entry).isNotNull();
                assertThat(entry.supersedes(found)).as("%s, found %s", entry, found).isFalse();
            }
        }
    }

    @Test
    void aStoreSurvivesBeingClosedOrKilledAtAnyMoment() {
        long firstSeed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println("CompactionRestartTest: -Dquorate.seed=" + firstSeed);
        int compactions = 0;
        int interrupted = 0;
        for (long seed = firstSeed; seed < firstSeed + HISTORIES; seed++) {
            History history = new History(new SplittableRandom(seed));
            try {
                history.run();
            } catch (Throwable e) {
                throw new AssertionError("replay with -Dquorate.seed=" + seed, e);
            }
            compactions += history.compactions;
            interrupted += history.interrupted;
        }
        assertThat(compactions).isGreaterThan(HISTORIES);
        assertThat(interrupted).isGreaterThan(HISTORIES / 4);
    }

    private static final class History {
        final SplittableRandom random;
        final Model model = new Model();
        FaultyDisk disk = new FaultyDisk();
        int compactions;
        int interrupted;

        History(SplittableRandom random) {
            this.random = random;
        }

        void run() {
            for (int life = 0; life < 6; life++) {
                live();
            }
            // Complete all compactions, without readers.
            ShuffledTasks tasks = new ShuffledTasks(random);
            try (LsmStore store = Model.open(disk, SLOW, tasks.executors())) {
                store.flush();
                tasks.runAll();
                while (tasks.passTime()) {
                    tasks.runAll();
                }
                model.check(store);
                assertThat(tableFiles()).isEqualTo(store.figures().count("sstables"));
                assertThat(store.figures().count("sstables_level_zero")).isLessThan(4);
            }
            assertThat(disk.openFiles()).isZero();
        }

        /** Opens the store, uses it, and ends it in one of several ways. */
        void live() {
            ShuffledTasks tasks = new ShuffledTasks(random);
            List<Walk> walks = new ArrayList<>();
            LsmStore store = Model.open(disk, SLOW, tasks.executors());
            int operations = 20 + random.nextInt(150);
            for (int i = 0; i < operations; i++) {
                switch (random.nextInt(20)) {
                    case 0 -> store.flush();
                    case 1 -> walks.add(Walk.begin(store));
                    case 2 -> tasks.passTime();
                    case 3 -> model.check(store);
                    default -> model.write(store, model.randomEntry(random));
                }
                tasks.runSome(random.nextInt(4));
                if (!walks.isEmpty() && random.nextInt(15) == 0) {
                    walks.remove(random.nextInt(walks.size())).finish();
                }
            }
            compactions += (int) store.figures().count("compactions");
            interrupted += tableFiles() > store.figures().count("sstables") ? 1 : 0;
            if (random.nextBoolean()) {
                store.close();
                // Open cursors remain readable after the store is closed.
                walks.forEach(Walk::finish);
                assertThat(disk.openFiles()).isZero();
            } else {
                disk = disk.afterKill();
            }
        }

        /** Includes those of a running compaction and those that only a cursor still needs. */
        private int tableFiles() {
            return (int)
                    disk.list(Model.DIRECTORY).stream()
                            .filter(name -> name.endsWith(".sst"))
                            .count();
        }
    }
}
