package dev.quorate.node.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of checkpoints: what is listed, what can be read, and that nothing else can. */
class CheckpointFilesTest {

    private static final CheckpointName NAME = new CheckpointName("a");

    /** Of "abc", as FIPS 180-2 gives it. */
    private static final String ABC =
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @TempDir Path data;
    private CheckpointFiles files;

    @BeforeEach
    void create() throws IOException {
        files = new CheckpointFiles(new DiskFiles(), data);
        Path store = data.resolve("checkpoints/a/store");
        Files.createDirectories(store);
        Files.createDirectories(data.resolve("checkpoints/b.unfinished"));
        Files.writeString(data.resolve("secret"), "secret");
        Files.writeString(data.resolve("checkpoints/b.unfinished/member"), "half");
        Files.writeString(data.resolve("checkpoints/a/member"), "abc");
        Files.writeString(store.resolve("0000000000000001.sst"), "0123456789");
    }

    @Test
    void eachFileIsListedAndRead() throws IOException {
        assertThat(files.paths(NAME)).containsExactly("member", "store/0000000000000001.sst");
        assertThat(files.describe(NAME, "member")).isEqualTo(ABC + " 3 member");
        assertThat(read("store/0000000000000001.sst", 0, 4)).isEqualTo("0123");
        assertThat(read("store/0000000000000001.sst", 8, 4)).isEqualTo("89");
        assertThat(read("store/0000000000000001.sst", 10, 4)).isEmpty();
        assertThat(read("store/0000000000000001.sst", Long.MAX_VALUE, 4)).isEmpty();
    }

    private String read(String path, long offset, int most) throws IOException {
        return new String(files.read(NAME, path, offset, most), StandardCharsets.US_ASCII);
    }

    @Test
    void ofACheckpointThatIsNotThereNothingIsListed() throws IOException {
        assertThat(files.paths(new CheckpointName("b"))).isEmpty();
        assertThat(new CheckpointFiles(new DiskFiles(), data.resolve("none")).paths(NAME))
                .isEqualTo(List.of());
    }

    @Test
    void aLinkIsNoCheckpoint() throws IOException {
        Files.createSymbolicLink(data.resolve("checkpoints/c"), data);
        assertThat(files.paths(new CheckpointName("c"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../secret",
                "..",
                "store/../../../secret",
                "/etc/passwd",
                "",
                "store",
                "store/none",
                ".",
                "./member",
                "store//0000000000000001.sst"
            })
    void nothingElseIsRead(String path) {
        assertThatThrownBy(() -> files.read(NAME, path, 0, 10)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> files.describe(NAME, path)).isInstanceOf(IOException.class);
        if (!path.equals("store")) {
            assertThatThrownBy(() -> files.read(NAME, path, 0, 10))
                    .isInstanceOf(NoSuchFileException.class);
        }
    }
}
