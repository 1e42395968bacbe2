package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static dev.quorate.storage.engine.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import dev.quorate.storage.wal.LogRecovery;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Opening succeeds if the directory is complete, deletes the remains of a crash, and fails
 * otherwise.
 */
class OpeningTest {

    private final FaultyDisk disk = new FaultyDisk();

    /** A store with two tables and something in the log, after a power loss. */
    private FaultyDisk used() {
        LsmStore store = Model.open(disk);
        for (int i = 0; i < 60; i++) {
            put(store, "key " + i % 20, i + 1, "value " + i).join();
            if (i == 20 || i == 40) {
                store.flush();
            }
        }
        return disk.afterPowerLoss(Keep.NOTHING, new SplittableRandom(1));
    }

    @Test
    void theSummaryDescribesTheRecovery() {
        FaultyDisk used = used();
        LsmStore store = Model.open(used);
        assertThat(store.recoverySummary())
                .isEqualTo(
                        "2 tables, 19 entries replayed from 1 log segment,"
                                + " 0 bytes of torn tail dropped, in 0 ms");
        assertThat(store.newestTimestamp()).isEqualTo(new Timestamp(60, 1));
    }

    @Test
    void remainsOfACrashAreDeletedAndForeignFilesStay() {
        FaultyDisk used = used();
        used.replace(path(FileNames.table(999)), new byte[10]);
        used.replace(path(FileNames.manifest(998)), new byte[10]);
        used.replace(path(FileNames.CURRENT_NEXT), new byte[10]);
        used.replace(path(FileNames.log(997)), new byte[10]);
        used.replace(path("lost+found"), new byte[10]);
        LsmStore store = Model.open(used);
        List<String> names = used.list(Model.DIRECTORY);
        assertThat(names)
                .contains("lost+found")
                .doesNotContain(
                        FileNames.table(999),
                        FileNames.manifest(998),
                        FileNames.CURRENT_NEXT,
                        FileNames.log(997));
        // No number is reused, not even that of a deleted file.
        put(store, "more", 100, "value").join();
        store.flush();
        assertThat(used.list(Model.DIRECTORY))
                .anyMatch(
                        name ->
                                name.compareTo("0000000000000" + "3e8") >= 0
                                        && name.endsWith(".sst"));
        store.close();
        assertThat(used.openFiles()).isZero();
    }

    /** After an interrupted rename some file systems show the file under both names. */
    @Test
    void aSegmentInUseIsNotRecycledThroughAnotherName() throws IOException {
        FaultyDisk used = used();
        for (String name : used.list(Model.DIRECTORY)) {
            FileNames.Name parsed = FileNames.parse(name);
            if (parsed.kind() != FileNames.Kind.LOG) {
                continue;
            }
            if (LogRecovery.containsRecords(used, Model.DIRECTORY, parsed.number())) {
                used.link(path(name), path(FileNames.log(parsed.number() + 900)));
            } else {
                used.delete(path(name));
            }
        }
        used.syncDirectory(Model.DIRECTORY);
        List<FaultyDisk> interrupted = new ArrayList<>();
        used.beforeStep(
                step ->
                        interrupted.add(
                                used.afterPowerLoss(Keep.EVERYTHING, new SplittableRandom(1))));
        Model.open(used).close();

        assertThat(interrupted).hasSizeGreaterThan(5);
        for (FaultyDisk disk : interrupted) {
            try (LsmStore store = Model.open(disk)) {
                assertThat(store.newestTimestamp()).isEqualTo(new Timestamp(60, 1));
            }
        }
    }

    @Test
    void aMissingTableFailsTheOpening() throws IOException {
        FaultyDisk used = used();
        String table =
                used.list(Model.DIRECTORY).stream()
                        .filter(name -> name.endsWith(".sst"))
                        .findFirst()
                        .orElseThrow();
        used.delete(path(table));
        refused(used, CorruptionException.class, table, "missing");
    }

    @Test
    void withoutCurrentOnlyAnEmptyDirectoryIsANewStore() throws IOException {
        FaultyDisk used = used();
        used.delete(path(FileNames.CURRENT));
        refused(used, CorruptionException.class, "CURRENT", "it is missing", "tables");
        for (String name : used.list(Model.DIRECTORY)) {
            if (name.endsWith(".sst")) {
                used.delete(path(name));
            }
        }
        refused(used, CorruptionException.class, "CURRENT", "it is missing", "records in");
        for (String name : used.list(Model.DIRECTORY)) {
            used.delete(path(name));
        }
        try (LsmStore store = Model.open(used)) {
            assertThat(store.lookup(bytes("key 1"))).isEqualTo(Lookup.Absent.ABSENT);
        }
    }

    @Test
    void theOldestSegmentOfTheManifestMustExist() throws IOException {
        FaultyDisk used = used();
        for (String name : used.list(Model.DIRECTORY)) {
            if (name.endsWith(".log")) {
                used.delete(path(name));
            }
        }
        List<String> before = used.list(Model.DIRECTORY);
        refused(used, CorruptionException.class, ".log", "the file is gone");
        assertThat(used.list(Model.DIRECTORY)).as("unchanged").isEqualTo(before);
    }

    @Test
    void anUnknownFormatIsRejected() {
        FaultyDisk used = used();
        for (String name : used.list(Model.DIRECTORY)) {
            if (name.endsWith(".manifest")) {
                ByteBuffer header = ByteBuffer.wrap(used.read(path(name)));
                header.putInt(8, 9);
                header.putInt(28, Crc32c.of(header, 0, 28));
                used.replace(path(name), header.array());
            }
        }
        refused(used, StorageException.Io.class, "manifest format 9, this program reads 1 and 2");
    }

    @Test
    void aDirectoryInUseIsRejectedWithOneSentence() throws Exception {
        FaultyDisk used = used();
        AutoCloseable held = used.lock(path(FileNames.LOCK));
        refused(used, StorageException.InUse.class, "opening /store", "is held");
        held.close();
        Model.open(used).close();
    }

    private static void refused(
            FaultyDisk disk, Class<? extends StorageException> type, String... parts) {
        assertThatThrownBy(() -> Model.open(disk))
                .isInstanceOf(type)
                .hasMessageContainingAll(parts);
        assertThat(disk.openFiles()).isZero();
    }

    private static Path path(String name) {
        return Model.DIRECTORY.resolve(name);
    }
}
