package dev.quorate.storage.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.simulated.FaultyDisk;
import dev.quorate.storage.sstable.TableMetadata;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Manifests of each format version, and the CURRENT file. They must remain readable forever, and
 * while the version is 2, the same edits must produce the same bytes.
 */
class GoldenManifestTest {

    private static final Path DIRECTORY = Path.of("/store");
    private static final long NUMBER = 0x2a;
    private static final Path MANIFEST = DIRECTORY.resolve(FileNames.manifest(NUMBER));
    private static final Path CURRENT = DIRECTORY.resolve(FileNames.CURRENT);

    private final FaultyDisk disk = new FaultyDisk();

    private static TableMetadata table(long number, int level) {
        return new TableMetadata(
                number,
                level,
                1_000_000_000_000L + number,
                305,
                44,
                new byte[] {0, (byte) number},
                new byte[] {-1, 1, 2},
                Timestamp.ZERO,
                new Timestamp(-1, -1));
    }

    private static List<VersionEdit> edits() {
        Timestamp stamp = Timestamp.of(1_750_000_000_000L, 7, 2);
        return List.of(
                new VersionEdit(List.of(), List.of(), 1, 2, Timestamp.ZERO),
                new VersionEdit(List.of(table(5, 0)), List.of(), 6, 8, stamp),
                new VersionEdit(List.of(table(9, 0), table(10, 0)), List.of(), 6, 12, stamp),
                new VersionEdit(List.of(table(13, 6)), List.of(5L, 9L), 0, 14, Timestamp.ZERO));
    }

    private static StoreVersion version() {
        StoreVersion version = StoreVersion.EMPTY;
        for (VersionEdit edit : edits()) {
            version = version.apply(edit);
        }
        return new StoreVersion(
                version.tables(), version.oldestSegment(), NUMBER + 1, version.newest());
    }

    private static byte[] golden(String name) throws IOException {
        try (InputStream in = GoldenManifestTest.class.getResourceAsStream(name)) {
            assertThat(in).isNotNull();
            return in.readAllBytes();
        }
    }

    @Test
    void theSameEditsGiveTheSameBytes() throws IOException {
        VersionSet versions = VersionSet.open(disk, DIRECTORY);
        for (VersionEdit edit : edits()) {
            versions.commit(edit, () -> NUMBER);
        }
        assertThat(disk.read(MANIFEST)).isEqualTo(golden("manifest-2.golden"));
        assertThat(disk.read(CURRENT)).isEqualTo(golden("current-1.golden"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"manifest-1.golden", "manifest-2.golden"})
    void everyVersionIsReadable(String golden) throws IOException {
        disk.replace(MANIFEST, golden(golden));
        disk.replace(CURRENT, golden("current-1.golden"));
        VersionSet versions = VersionSet.open(disk, DIRECTORY);
        assertThat(versions.version()).isEqualTo(version());
        assertThat(versions.tornBytes()).isZero();
        assertThat(disk.openFiles()).isZero();
    }

    /** The first record is a snapshot of the version as one edit. */
    @Test
    void itsEditsAreReadable() throws IOException {
        List<VersionEdit> read = new ArrayList<>();
        ManifestFormat.read(ByteBuffer.wrap(golden("manifest-2.golden")), NUMBER, read::add);
        assertThat(read).hasSameSizeAs(edits());
        assertThat(read.subList(1, read.size())).isEqualTo(edits().subList(1, read.size()));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, Integer.MAX_VALUE, -1})
    void anUnknownVersionIsRejectedByNumber(int version) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(golden("manifest-2.golden"));
        bytes.putInt(8, version).putInt(28, Crc32c.of(bytes, 0, 28));
        disk.replace(MANIFEST, bytes.array());
        disk.replace(CURRENT, golden("current-1.golden"));
        assertThatThrownBy(() -> VersionSet.open(disk, DIRECTORY))
                .isInstanceOf(StorageException.Io.class)
                .hasMessageContaining(
                        "manifest format " + version + ", this program reads 1 and 2");
    }
}
