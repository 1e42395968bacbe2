package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Keyspaces;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.inspect.NoStoreException;
import dev.quorate.storage.inspect.StoppedEntries;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The entries of several checkpoints are read as one range, and nothing else is taken for one. */
class StoppedEntriesTest {

    @TempDir Path directory;
    private final DiskFiles files = new DiskFiles();

    private LsmStore open(Path path) {
        return LsmStore.open(
                files,
                path,
                Model.TINY,
                StoreExecutors.inPlace((millis, task) -> {}),
                new StoreClocks(() -> 0),
                cause -> {});
    }

    private static Entry value(String key, long time, String value) {
        return Entry.value(bytes(key), new Timestamp(time, 1), bytes(value), 3);
    }

    private Path checkpoint(String name, Entry... entries) {
        Path copy = directory.resolve(name + "-copy");
        try (LsmStore store = open(directory.resolve(name))) {
            Keyspaces keyspaces = Keyspaces.of(store);
            for (Entry entry : entries) {
                Writes.write(keyspaces.data(), entry).join();
            }
            Writes.write(keyspaces.records(), value("a", 1, "a node's own")).join();
            store.checkpoint(copy);
        }
        return copy;
    }

    private List<String> entries(List<Path> stores) throws IOException {
        List<String> all = new ArrayList<>();
        try (StoppedEntries stopped = StoppedEntries.open(files, stores);
                EntryCursor cursor = stopped.scan(new byte[0], null)) {
            while (cursor.next()) {
                Entry entry = cursor.entry();
                all.add(
                        new String(entry.key(), StandardCharsets.US_ASCII)
                                + (entry.isTombstone()
                                        ? ""
                                        : "="
                                                + new String(
                                                        entry.value(), StandardCharsets.US_ASCII)));
            }
        }
        return all;
    }

    @Test
    void theNewestOfEachKeyIsRead() throws IOException {
        Path one = checkpoint("one", value("a", 5, "new"), value("b", 1, "old"));
        Path two =
                checkpoint(
                        "two",
                        value("a", 4, "old"),
                        Entry.tombstone(bytes("b"), new Timestamp(2, 1), 3),
                        value("c", 1, "alone"));
        assertThat(entries(List.of(one, two))).containsExactly("a=new", "b", "c=alone");
        assertThat(entries(List.of(two, one))).containsExactly("a=new", "b", "c=alone");
    }

    /** Writes in its log would be left out. */
    @Test
    void aStoreThatWasWrittenToIsNoCheckpoint() {
        Path copy = checkpoint("one", value("a", 1, "x"));
        try (LsmStore store = open(copy)) {
            Writes.write(store, value("b", 2, "y")).join();
        }
        assertThatThrownBy(() -> entries(List.of(copy)))
                .isInstanceOf(NoStoreException.class)
                .hasMessageContaining("is not a checkpoint");
    }

    @Test
    void whatIsInUseOrNoStoreIsRefused() throws IOException {
        Path copy = checkpoint("one", value("a", 1, "x"));
        try (LsmStore _ = open(copy)) {
            assertThatThrownBy(() -> entries(List.of(copy)))
                    .isInstanceOf(StorageException.InUse.class);
        }
        Path empty = Files.createDirectory(directory.resolve("empty"));
        assertThatThrownBy(() -> entries(List.of(empty))).isInstanceOf(NoStoreException.class);
    }
}
