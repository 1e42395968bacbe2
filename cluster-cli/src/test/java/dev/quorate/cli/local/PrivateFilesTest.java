package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PrivateFilesTest {

    @TempDir Path temporary;
    private Path data;
    private Path table;
    private Path elsewhere;

    @BeforeEach
    void write() throws IOException {
        data = open(Files.createDirectory(temporary.resolve("data")), "rwxr-xr-x");
        Path tables = open(Files.createDirectory(data.resolve("tables")), "rwxrwxrwx");
        table = open(Files.createFile(tables.resolve("1.table")), "rw-r--r--");
        elsewhere = open(Files.createFile(temporary.resolve("elsewhere")), "rw-r--r--");
        Files.createSymbolicLink(tables.resolve("link"), elsewhere);
    }

    private static Path open(Path file, String permissions) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void nobodyElseCanReadADataDirectory() throws IOException {
        Files.createFile(data.resolve("node"));
        PrivateFiles.tighten(data, "node");
        assertThat(permissions(data)).isEqualTo("rwx------");
        assertThat(permissions(data.resolve("tables"))).isEqualTo("rwx------");
        assertThat(permissions(table)).isEqualTo("rw-------");
        assertThat(permissions(elsewhere)).as("behind a link").isEqualTo("rw-r--r--");
    }

    @Test
    void aDirectoryThatIsNoneIsLeftAsItIs() throws IOException {
        PrivateFiles.tighten(data, "node");
        PrivateFiles.tighten(temporary.resolve("missing"), "node");
        assertThat(permissions(table)).isEqualTo("rw-r--r--");
    }
}
