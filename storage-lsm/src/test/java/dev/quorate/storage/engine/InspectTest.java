package dev.quorate.storage.engine;

import static dev.quorate.storage.engine.Writes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.inspect.Verification;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.wal.LogRecovery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Verification reports every damage with its file, in every kind of file, and changes nothing. */
class InspectTest {

    private FaultyDisk disk = new FaultyDisk();

    /** A store that was killed: tables, a log with entries, a manifest with several edits. */
    @BeforeEach
    void writeStore() {
        LsmStore store = Model.open(disk);
        for (int i = 0; i < 250; i++) {
            Writes.put(store, "key %03d".formatted(i), 1 + i, "value ".repeat(10)).join();
        }
        store.flush();
        Writes.put(store, "a/b", 1_001, "in the log").join();
        Writes.delete(store, "gone %", 1_002).join();
        Entry brief = Entry.expiring(bytes("brief"), new Timestamp(1_003, 1), bytes("x"), 2, 77);
        Writes.write(store, brief).join();
        disk = disk.afterKill();
    }

    private List<String> names(FileNames.Kind kind) {
        return disk.list(Model.DIRECTORY).stream()
                .filter(name -> FileNames.parse(name).kind() == kind)
                .sorted()
                .toList();
    }

    private static Path path(String name) {
        return Model.DIRECTORY.resolve(name);
    }

    private Map<String, List<Byte>> contents() {
        Map<String, List<Byte>> contents = new TreeMap<>();
        for (String name : disk.list(Model.DIRECTORY)) {
            List<Byte> content = new ArrayList<>();
            for (byte b : disk.read(path(name))) {
                content.add(b);
            }
            contents.put(name, content);
        }
        return contents;
    }

    private Verification.Report verify() throws IOException {
        return Verification.of(disk, Model.DIRECTORY, problem -> {});
    }

    private List<CorruptionException> damages() throws IOException {
        List<CorruptionException> damages = new ArrayList<>();
        Verification.Report report =
                Verification.of(
                        disk,
                        Model.DIRECTORY,
                        problem -> damages.add((CorruptionException) problem));
        assertThat(report.problems()).isEqualTo(damages.size());
        assertThat(disk.openFiles()).isZero();
        return damages;
    }

    private void flip(String name, int at) {
        byte[] content = disk.read(path(name));
        content[at] ^= 1;
        disk.replace(path(name), content);
    }

    @Test
    void verifyingAnIntactStoreChangesNothing() throws IOException {
        Map<String, List<Byte>> before = contents();
        Verification.Report report = verify();
        assertThat(report.problems()).isZero();
        assertThat(report.tables()).isPositive().isEqualTo(names(FileNames.Kind.TABLE).size());
        assertThat(report.logEntries()).isEqualTo(3);
        assertThat(contents()).isEqualTo(before);
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void theBytesOfEachTableAreReported() throws IOException {
        List<Long> read = new ArrayList<>();
        var _ = Verification.of(disk, Model.DIRECTORY, problem -> {}, read::add);
        List<Long> sizes =
                names(FileNames.Kind.TABLE).stream()
                        .map(name -> (long) disk.read(path(name)).length)
                        .toList();
        assertThat(read).isNotEmpty().containsExactlyInAnyOrderElementsOf(sizes);
    }

    @Test
    void everyDamagedByteOfEveryTableIsReported() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        for (String name : names(FileNames.Kind.TABLE)) {
            byte[] whole = disk.read(path(name));
            for (int i = 0; i < 100; i++) {
                int at = random.nextInt(whole.length);
                flip(name, at);
                List<CorruptionException> damages = damages();
                assertThat(damages).hasSize(1);
                assertThat(damages.getFirst().file()).isEqualTo(name);
                disk.replace(path(name), whole);
            }
        }
        for (String name : names(FileNames.Kind.TABLE)) {
            flip(name, 10);
        }
        assertThat(damages())
                .extracting(CorruptionException::file)
                .containsExactlyElementsOf(names(FileNames.Kind.TABLE));
    }

    @Test
    void everyDamagedBlockOfATableIsReported() throws IOException {
        String name = names(FileNames.Kind.TABLE).getFirst();
        flip(name, 20);
        flip(name, 1_000);
        List<CorruptionException> damages = damages();
        assertThat(damages).hasSize(2);
        assertThat(damages.getFirst().offset()).isZero();
        assertThat(damages.getLast().offset()).isBetween(500L, 1_000L);
    }

    @Test
    void damageOfTheLogIsReported() throws IOException {
        String name = liveSegment();
        byte[] whole = disk.read(path(name));
        // Header and first of three groups; damage in the last cannot be distinguished from a torn
        // write.
        for (int at : new int[] {0, 9, 15, 22, 512, 520, 530, 540}) {
            flip(name, at);
            assertThat(damages())
                    .singleElement()
                    .satisfies(damage -> assertThat(damage.file()).isEqualTo(name));
            disk.replace(path(name), whole);
        }
        disk = withoutFile(name);
        assertThat(damages())
                .extracting(CorruptionException::getMessage)
                .anySatisfy(message -> assertThat(message).contains(name).contains("missing"));
    }

    /** The last one with entries: older ones are spare. */
    private String liveSegment() throws IOException {
        for (String name : names(FileNames.Kind.LOG).reversed()) {
            if (LogRecovery.containsRecords(
                    disk, path(name).getParent(), FileNames.parse(name).number())) {
                return name;
            }
        }
        throw new AssertionError("no segment has entries");
    }

    private FaultyDisk withoutFile(String name) throws IOException {
        disk.delete(path(name));
        return disk;
    }

    @Test
    void damageOfTheManifestIsReportedAndTheOtherFilesAreVerified() throws IOException {
        String manifest = names(FileNames.Kind.MANIFEST).getFirst();
        String table = names(FileNames.Kind.TABLE).getFirst();
        flip(manifest, 30);
        flip(table, 30);
        assertThat(damages())
                .extracting(CorruptionException::file)
                .containsExactly(manifest, table);
        flip(manifest, 30);
        flip(FileNames.CURRENT, 3);
        assertThat(damages())
                .extracting(CorruptionException::file)
                .containsExactly(FileNames.CURRENT, table);
    }

    @Test
    void anOpenStoreIsRejected() throws IOException {
        disk.replace(path(FileNames.LOCK), new byte[0]);
        try (LsmStore store = Model.open(disk)) {
            assertThatThrownBy(this::verify).isInstanceOf(StorageException.InUse.class);
            assertThat(store.recoverySummary()).isNotEmpty();
        }
        assertThat(damages()).isEmpty();
    }

    @Test
    void aDirectoryWithoutAStoreIsRejected() {
        assertThatThrownBy(() -> Verification.of(disk, Path.of("/nothing"), problem -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("holds no store");
    }
}
