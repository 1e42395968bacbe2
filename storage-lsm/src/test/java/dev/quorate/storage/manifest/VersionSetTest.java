package dev.quorate.storage.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.simulated.FaultyDisk.Keep;
import dev.quorate.storage.sstable.TableMetadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Edits are atomic: after a crash the version is the one before or after an edit. */
class VersionSetTest {

    private static final Path DIRECTORY = Path.of("/store");
    private static final long SEED = 99;
    private static final int TOSSES = 20;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final FaultyDisk disk = new FaultyDisk();
    private final AtomicLong numbers = new AtomicLong(1);

    @Test
    void aDirectoryWithoutAManifestIsFresh() throws IOException {
        VersionSet versions = VersionSet.open(disk, DIRECTORY);
        assertThat(versions.isFresh()).isTrue();
        assertThat(versions.version()).isEqualTo(StoreVersion.EMPTY);
        assertThat(disk.steps()).as("opening writes nothing").isZero();
    }

    @Test
    void everyVersionSurvivesAReopening() throws IOException {
        VersionSet versions = VersionSet.open(disk, DIRECTORY);
        for (int i = 0; i < 50; i++) {
            versions.commit(randomEdit(versions.version()), numbers::getAndIncrement);
            VersionSet again =
                    VersionSet.open(disk.afterPowerLoss(Keep.NOTHING, random), DIRECTORY);
            assertThat(again.version()).isEqualTo(versions.version());
            assertThat(again.isFresh()).isFalse();
            if (random.nextInt(10) == 0) {
                versions.close();
                versions = again.version().equals(versions.version()) ? reopened() : again;
            }
        }
        assertThat(versions.version().tables()).isNotEmpty();
    }

    private VersionSet reopened() throws IOException {
        return VersionSet.open(disk, DIRECTORY);
    }

    private VersionEdit randomEdit(StoreVersion version) {
        List<Long> removed =
                version.tables().size() > 5
                        ? List.of(version.tables().get(random.nextInt(5)).number())
                        : List.of();
        long number = numbers.getAndIncrement();
        return new VersionEdit(
                List.of(table(number)),
                removed,
                version.oldestSegment() + random.nextInt(2),
                numbers.get(),
                new Timestamp(random.nextInt(1_000), 1));
    }

    private static TableMetadata table(long number) {
        return new TableMetadata(
                number,
                (int) (number % 3),
                1_000 + number,
                10,
                2,
                new byte[] {1, (byte) number},
                new byte[] {2, 3},
                new Timestamp(5, 1),
                new Timestamp(9, 2));
    }

    @Test
    void aPowerLossLeavesTheVersionBeforeOrAfterTheEdit() throws IOException {
        VersionSet versions = VersionSet.open(disk, DIRECTORY);
        StoreVersion[] allowed = {StoreVersion.EMPTY, StoreVersion.EMPTY};
        disk.beforeStep(
                step -> {
                    checkOpens(disk.afterPowerLoss(Keep.NOTHING, random), step, allowed);
                    checkOpens(disk.afterPowerLoss(Keep.EVERYTHING, random), step, allowed);
                    // Often enough to cover every subset of a few names.
                    for (int toss = 0; toss < TOSSES; toss++) {
                        checkOpens(disk.afterPowerLoss(Keep.SOME, random), step, allowed);
                    }
                });
        for (int i = 0; i < 60; i++) {
            VersionEdit edit = randomEdit(versions.version());
            allowed[1] = versions.version().apply(edit);
            versions.commit(edit, numbers::getAndIncrement);
            allowed[0] = versions.version();
            if (random.nextInt(10) == 0) {
                versions.close();
                versions = reopened();
            }
        }
    }

    private static void checkOpens(FaultyDisk disk, long step, StoreVersion... allowed) {
        assertThat(open(disk).tables())
                .as("step %d", step)
                .isIn(allowed[0].tables(), allowed[1].tables());
    }

    private static StoreVersion open(FaultyDisk disk) {
        try {
            return VersionSet.open(disk, DIRECTORY).version();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theLastRecordTruncatedAtAnyByteIsIntactOrDropped() throws IOException {
        VersionSet versions = committed(3);
        StoreVersion before = versions.version();
        Path path = manifest(versions);
        int from = disk.read(path).length;
        versions.commit(randomEdit(before), numbers::getAndIncrement);
        byte[] whole = disk.read(path);
        for (int cut = from; cut < whole.length; cut++) {
            disk.replace(path, Arrays.copyOf(whole, cut));
            VersionSet found = reopened();
            assertThat(found.version()).as("cut at %d", cut).isEqualTo(before);
            assertThat(found.tornBytes()).isEqualTo(cut - from);
        }
    }

    @Test
    void everyFlipBeforeTheLastRecordIsDetected() throws IOException {
        VersionSet versions = committed(5);
        Path path = manifest(versions);
        int end = disk.read(path).length;
        versions.commit(randomEdit(versions.version()), numbers::getAndIncrement);
        byte[] whole = disk.read(path);
        for (int bit = 0; bit < 8 * end; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            disk.replace(path, flipped);
            assertThatThrownBy(this::reopened)
                    .as("bit %d", bit)
                    .isInstanceOf(CorruptionException.class);
        }
    }

    @Test
    void everyFlipInCurrentIsDetected() throws IOException {
        VersionSet versions = committed(2);
        Path current = DIRECTORY.resolve(FileNames.CURRENT);
        byte[] whole = disk.read(current);
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            disk.replace(current, flipped);
            assertThatThrownBy(this::reopened)
                    .as("bit %d", bit)
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageStartingWith("CURRENT");
        }
        disk.replace(current, whole);
        disk.delete(manifest(versions));
        assertThatThrownBy(this::reopened)
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("which is gone");
    }

    @Test
    void aFailedCommitIsRetriedInANewManifest() throws IOException {
        VersionSet versions = committed(3);
        StoreVersion before = versions.version();
        long manifest = versions.manifestNumber();
        VersionEdit edit = randomEdit(before);
        disk.setCapacity(disk.usedBytes() + 10);
        assertThatThrownBy(() -> versions.commit(edit, numbers::getAndIncrement))
                .isInstanceOf(DiskFullException.class);
        assertThat(versions.version()).isEqualTo(before);
        assertThatThrownBy(() -> versions.commit(edit, numbers::getAndIncrement))
                .isInstanceOf(DiskFullException.class);
        assertThat(reopened().version()).isEqualTo(before);

        disk.setCapacity(Long.MAX_VALUE);
        versions.commit(edit, numbers::getAndIncrement);
        assertThat(versions.manifestNumber()).isGreaterThan(manifest);
        assertThat(versions.version().tables()).isEqualTo(before.apply(edit).tables());
        assertThat(reopened().version()).isEqualTo(versions.version());
        versions.close();
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void aLargeManifestIsRewritten() throws IOException {
        VersionSet versions = committed(1);
        long first = versions.manifestNumber();
        byte[] longKey = new byte[60_000];
        while (versions.manifestNumber() == first) {
            long number = numbers.getAndIncrement();
            TableMetadata wide =
                    new TableMetadata(
                            number, 0, 1, 1, 0, longKey, longKey, Timestamp.ZERO, Timestamp.ZERO);
            List<Long> removed = List.of(versions.version().tables().getFirst().number());
            assertThat(number).isLessThan(100);
            versions.commit(
                    new VersionEdit(List.of(wide), removed, 1, number + 1, Timestamp.ZERO),
                    numbers::getAndIncrement);
        }
        assertThat(disk.read(manifest(versions)).length).isLessThan(200_000);
        assertThat(disk.exists(DIRECTORY.resolve(FileNames.manifest(first)))).isFalse();
        assertThat(reopened().version()).isEqualTo(versions.version());
        versions.close();
        assertThat(disk.openFiles()).isZero();
    }

    /** A power loss cannot cause this: a truncated file. */
    @Test
    void aManifestTruncatedInItsHeaderOrFirstRecordIsRejected() throws IOException {
        VersionSet versions = committed(1);
        byte[] whole = disk.read(manifest(versions));
        for (int cut = 0; cut < whole.length; cut++) {
            disk.replace(manifest(versions), Arrays.copyOf(whole, cut));
            assertThatThrownBy(this::reopened)
                    .as("cut at %d", cut)
                    .isInstanceOf(CorruptionException.class);
        }
    }

    @Test
    void anOversizedCurrentIsRejected() throws IOException {
        committed(1);
        disk.replace(DIRECTORY.resolve(FileNames.CURRENT), new byte[10_000]);
        assertThatThrownBy(this::reopened)
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("it has 10000 bytes");
    }

    /** A failed attempt leaves CURRENT.next behind. */
    @Test
    void aCommitIsRetriedAfterAFailureToReplaceCurrent() throws IOException {
        VersionSet versions = VersionSet.open(disk, DIRECTORY);
        VersionEdit edit = randomEdit(versions.version());
        // The two previous fsyncs are those of the manifest and of the directory.
        disk.failForce(disk.forces() + 3);
        assertThatThrownBy(() -> versions.commit(edit, numbers::getAndIncrement))
                .isInstanceOf(IOException.class);
        assertThat(disk.exists(DIRECTORY.resolve(FileNames.CURRENT_NEXT))).isTrue();
        versions.commit(edit, numbers::getAndIncrement);
        assertThat(reopened().version()).isEqualTo(versions.version());
        versions.close();
        assertThat(disk.openFiles()).as("the first manifest is closed too").isZero();
    }

    /** A crash during a checkpoint must not leave a directory that opens. */
    @Test
    void anUnfinishedDirectoryOpensOnlyAfterItsCreation() throws IOException {
        VersionSet.markUnfinished(disk, DIRECTORY);
        FaultyDisk crashed = disk.afterPowerLoss(Keep.NOTHING, random);
        assertThat(crashed.read(DIRECTORY.resolve(FileNames.CURRENT)))
                .isEqualTo("unfinished\n".getBytes(StandardCharsets.US_ASCII));
        assertThatThrownBy(() -> VersionSet.open(crashed, DIRECTORY))
                .isInstanceOf(CorruptionException.class)
                .hasMessageStartingWith("CURRENT");

        StoreVersion version = StoreVersion.EMPTY.apply(randomEdit(StoreVersion.EMPTY));
        VersionSet.create(disk, DIRECTORY, version, 77);
        VersionSet created = VersionSet.open(disk.afterPowerLoss(Keep.NOTHING, random), DIRECTORY);
        assertThat(created.version().tables()).isEqualTo(version.tables());
        assertThat(created.manifestNumber()).isEqualTo(77);
        assertThat(created.version().nextFileNumber()).isEqualTo(78);
        assertThat(disk.openFiles()).isZero();
    }

    /** Otherwise file numbers would be reused. */
    @Test
    void anEditCommittedLateDecreasesNothing() {
        Timestamp newest = new Timestamp(50, 1);
        StoreVersion version =
                StoreVersion.EMPTY.apply(new VersionEdit(List.of(), List.of(), 7, 20, newest));
        VersionEdit late = new VersionEdit(List.of(), List.of(), 3, 10, new Timestamp(40, 1));
        assertThat(version.apply(late)).isEqualTo(version);
        VersionEdit later = new VersionEdit(List.of(), List.of(), 8, 21, new Timestamp(51, 1));
        assertThat(version.apply(later))
                .isEqualTo(new StoreVersion(List.of(), 8, 21, new Timestamp(51, 1)));
    }

    @Test
    void anUnknownFormatIsRejectedByNumber() throws IOException {
        VersionSet versions = committed(1);
        ByteBuffer bytes = ByteBuffer.wrap(disk.read(manifest(versions)));
        bytes.putInt(8, 3);
        bytes.putInt(28, Crc32c.of(bytes, 0, 28));
        disk.replace(manifest(versions), bytes.array());
        assertThatThrownBy(this::reopened)
                .isInstanceOf(StorageException.Io.class)
                .hasMessageEndingWith("has manifest format 3, this program reads 1 and 2");
    }

    @Test
    void anInvalidEditIsRejected() {
        StoreVersion version = StoreVersion.EMPTY.apply(edit(List.of(table(4)), List.of()));
        assertThatThrownBy(() -> version.apply(edit(List.of(), List.of(5L))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> version.apply(edit(List.of(table(4)), List.of())))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static VersionEdit edit(List<TableMetadata> added, List<Long> removed) {
        return new VersionEdit(added, removed, 0, 0, Timestamp.ZERO);
    }

    private VersionSet committed(int edits) throws IOException {
        VersionSet versions = VersionSet.open(disk, DIRECTORY);
        for (int i = 0; i < edits; i++) {
            versions.commit(randomEdit(versions.version()), numbers::getAndIncrement);
        }
        return versions;
    }

    private static Path manifest(VersionSet versions) {
        return DIRECTORY.resolve(FileNames.manifest(versions.manifestNumber()));
    }

    /**
     * The manifest contains the first and last keys of tables, and clients choose keys. A key that
     * imitates a later record must not make a torn record look like damage.
     */
    @Test
    void aKeyThatImitatesARecordIsIgnored() throws IOException {
        long manifest = 7;
        VersionSet versions = VersionSet.open(disk, DIRECTORY);
        VersionEdit edit = new VersionEdit(List.of(table(3)), List.of(), 1, 8, new Timestamp(5, 1));
        versions.commit(edit, () -> manifest);
        Path file = DIRECTORY.resolve(FileNames.manifest(manifest));
        byte[] whole = disk.read(file);
        int key = whole.length + ManifestFormat.RECORD_BYTES + 50;
        // Everything a client can know or guess: the manifest's number and the offset of the key.
        ByteBuffer forged = ByteBuffer.wrap(Arrays.copyOf(whole, key + 1_024));
        forged.position(key).put(ManifestFormat.record(key, manifest, 99, edit));
        disk.replace(file, forged.array());

        VersionSet again = VersionSet.open(disk, DIRECTORY);
        assertThat(again.version()).isEqualTo(versions.version());
        assertThat(again.tornBytes()).isEqualTo(forged.limit() - whole.length);
    }
}
