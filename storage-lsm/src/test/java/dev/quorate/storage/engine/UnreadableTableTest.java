package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real disk that fails to read pages of a table, simulated by truncating the mapped file.
 * Look-ups and scans of these pages fail individually; all others succeed, writes continue, and
 * everything recovers with the pages.
 */
class UnreadableTableTest {

    private static final int KEYS = 800;
    private static final StorageOptions OPTIONS =
            StorageOptions.defaults()
                    .withMemtableBytes(4 << 20)
                    .withSegmentBytes(8 << 20)
                    .withReservedDiskBytes(0);

    @TempDir Path directory;

    private LsmStore open() {
        return LsmStore.open(
                new DiskFiles(),
                directory,
                OPTIONS,
                StoreExecutors.threads("unreadable"),
                new StoreClocks(System::nanoTime),
                cause -> {
                    throw new AssertionError("the store must stay up", cause);
                });
    }

    private static String key(int i) {
        return "key %05d".formatted(i);
    }

    private List<Path> tables() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".sst")).sorted().toList();
        }
    }

    private static int failures(LsmStore store, SplittableRandom random, int lookups) {
        int failed = 0;
        for (int i = 0; i < lookups; i++) {
            int key = random.nextInt(KEYS);
            try {
                Entry found = Model.find(store.lookup(Writes.bytes(key(key))));
                assertThat(found).isNotNull();
                assertThat(found.timestamp()).isEqualTo(new Timestamp(1 + key, 1));
            } catch (StorageException honest) {
                failed++;
            }
        }
        return failed;
    }

    private static void walk(LsmStore store) {
        try (EntryCursor cursor = store.scan(new byte[0], null)) {
            int seen = 0;
            while (cursor.next()) {
                assertThat(cursor.entry().timestamp()).isEqualTo(new Timestamp(1 + seen, 1));
                seen++;
            }
            assertThat(seen).isEqualTo(KEYS);
        }
    }

    /** A look-up has noted that the memtable's entry is the newest. */
    @Test
    void aTableIsSearchedOnceForAnEntryInTheMemtable() throws IOException {
        try (LsmStore store = open()) {
            for (int i = 0; i < KEYS; i++) {
                Writes.put(store, key(i), 1 + i, "value").join();
            }
            store.flush();
            for (int i = 0; i < 2; i++) {
                Writes.put(store, key(i), KEYS - 1, "late").join();
            }
            Timestamp late = new Timestamp(KEYS - 1, 1);
            Entry noted = Model.find(store.lookup(Writes.bytes(key(0))));
            assertThat(noted).isNotNull().returns(late, Entry::timestamp);

            try (FileChannel channel =
                    FileChannel.open(tables().getFirst(), StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }
            assertThatThrownBy(() -> store.lookup(Writes.bytes(key(1))))
                    .isInstanceOf(StorageException.class);
            assertThat(Model.find(store.lookup(Writes.bytes(key(0))))).isEqualTo(noted);
            Timestamp later = late.withStep(late.hybrid() + 1);
            Entry next = Entry.value(Writes.bytes(key(0)), later, Writes.bytes("later"), 3);
            assertThat(Writes.write(store, next).join()).isEqualTo(later);
            assertThat(Model.find(store.lookup(Writes.bytes(key(0))))).isEqualTo(next);
        }
    }

    @Test
    void onlyReadsOfUnreadablePagesFail() throws IOException {
        SplittableRandom random = new SplittableRandom(Scale.seed("UnreadableTableTest"));
        try (LsmStore store = open()) {
            for (int i = 0; i < KEYS; i++) {
                Writes.put(store, key(i), 1 + i, "value ".repeat(20)).join();
                if (i == KEYS / 2) {
                    store.flush(); // Two tables: too few for a compaction.
                }
            }
            store.flush();
            int lookups = Scale.of(1_000, 10);
            assertThat(failures(store, random, lookups)).isZero();

            Path victim = tables().getFirst();
            byte[] whole = Files.readAllBytes(victim);
            try (FileChannel channel = FileChannel.open(victim, StandardOpenOption.WRITE)) {
                channel.truncate(whole.length / 2);
            }
            assertThat(failures(store, random, lookups)).isBetween(1, lookups - 1);
            assertThatThrownBy(() -> walk(store)).isInstanceOf(StorageException.class);

            // Writes succeed too, with their flushes and compactions.
            List<String> other = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                other.add("other " + i);
                Writes.put(store, other.getLast(), 5_000 + i, "value ".repeat(20)).join();
                if (i % 200 == 0) {
                    store.flush();
                }
            }
            for (String key : other) {
                assertThat(Model.find(store.lookup(Writes.bytes(key)))).isNotNull();
            }
            assertThat(failures(store, random, lookups)).isBetween(1, lookups - 1);

            Files.write(victim, whole, StandardOpenOption.WRITE);
            assertThat(failures(store, random, lookups)).isZero();
        }
        try (LsmStore store = open()) {
            assertThat(failures(store, random, KEYS)).isZero();
        }
    }
}
