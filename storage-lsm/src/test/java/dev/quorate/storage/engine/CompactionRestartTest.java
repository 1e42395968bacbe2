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
 * A store whose compactions go on in small parts is closed, killed and opened again at any moment,
 * while walks over it are open. It is always its model, every walk sees all that was there when it
 * began, and at the end there is no file too many.
 */
class CompactionRestartTest {

    private static final int HISTORIES = Boolean.getBoolean("quorate.long") ? 1_000 : 60;

    private static final StorageOptions SLOW = Model.TINY.withCompactionBytesPerSecond(1_000_000);

    /** A walk that was begun at some time, and what it must see at least. */
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

        /** What was written to the active memtable since may be seen, or not. */
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
    void closedKilledAndOpenedAgainAtAnyMoment() {
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
            // To the end, without a hurry and without a reader.
            ShuffledTasks tasks = new ShuffledTasks(random);
            try (LsmStore store = Model.open(disk, SLOW, tasks.executors())) {
                store.flush();
                tasks.runAll();
                while (tasks.passTime()) {
                    tasks.runAll();
                }
                model.check(store);
                assertThat(tableFiles()).isEqualTo(store.statistics().tables());
                assertThat(store.statistics().level0Tables()).isLessThan(4);
            }
            assertThat(disk.openFiles()).isZero();
        }

        /** From opening to an end of any kind. */
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
            compactions += (int) store.statistics().compactions();
            interrupted += tableFiles() > store.statistics().tables() ? 1 : 0;
            if (random.nextBoolean()) {
                store.close();
                // What was open is read to its end after the store is closed.
                walks.forEach(Walk::finish);
                assertThat(disk.openFiles()).isZero();
            } else {
                disk = disk.afterKill();
            }
        }

        /** Also those of a compaction under way, and those that only a walk still needs. */
        private int tableFiles() {
            return (int)
                    disk.list(Model.DIRECTORY).stream()
                            .filter(name -> name.endsWith(".sst"))
                            .count();
        }
    }
}
