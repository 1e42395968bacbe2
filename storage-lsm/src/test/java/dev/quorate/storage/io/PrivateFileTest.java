package dev.quorate.storage.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PrivateFileTest {

    @TempDir private Path folder;
    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("file");
        PrivateFile.replace(file, bytes("secret"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void permit(String permissions) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void whatIsWrittenIsForItsOwner() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PrivateFile.read(file, 6)).isEqualTo(bytes("secret"));
        permit("rw-r--r--");
        PrivateFile.replace(file, bytes("new"));
        assertThat(PrivateFile.read(file, 6)).isEqualTo(bytes("new"));
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw----r--", "rw-----w-", "rw------x", "rw--w----", "rwxrwxrwx"})
    void aFileThatOthersMayUseIsRefused(String permissions) throws IOException {
        permit(permissions);
        assertThatThrownBy(() -> PrivateFile.read(file, 6))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("permissions")
                .hasMessageContaining("chmod 600");
    }

    /** As Kubernetes mounts secrets, by a link and for a group. */
    @Test
    void aGroupMayRead() throws IOException {
        permit("r--r-----");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertThat(PrivateFile.read(link, 6)).isEqualTo(bytes("secret"));
    }

    @Test
    void anotherUsersFileIsRefused() throws IOException {
        assumeThat(new UnixSystem().getUid()).as("only root can give a file away").isZero();
        Files.setAttribute(file, "unix:uid", 12_345);
        assertThatThrownBy(() -> PrivateFile.read(file, 6))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("belongs to user 12345");
    }

    @Test
    void aFileThatIsTooLongOrNoFileIsRefused() {
        assertThatThrownBy(() -> PrivateFile.read(file, 5)).hasMessageContaining("more than 5");
        assertThatThrownBy(() -> PrivateFile.read(folder, 5)).hasMessageContaining("not a file");
    }

    @Test
    void everyChangeGivesAnotherStamp() throws IOException {
        PrivateFile.Stamp first = PrivateFile.stamp(file);
        assertThat(PrivateFile.stamp(file)).isEqualTo(first);
        PrivateFile.replace(file, bytes("hidden"));
        PrivateFile.Stamp second = PrivateFile.stamp(file);
        permit("r--------");
        assertThat(PrivateFile.stamp(file)).isNotIn(first, second);
        assertThat(second).isNotEqualTo(first);
    }
}
