package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchFolderTest {

    @TempDir private Path home;

    @Test
    void isCreatedInTheGivenParentAndDeleted() throws IOException {
        Path parent = home.resolve("a/b");
        try (ScratchFolder scratch = ScratchFolder.in(home, parent, "pressure-")) {
            assertThat(scratch.path()).hasParentRaw(parent).isEmptyDirectory();
            assertThat(scratch.path().getFileName().toString()).startsWith("pressure-");
            Files.writeString(scratch.path().resolve("quorate.out"), "ready");
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void leavesWhatAClusterHasLeft() throws IOException {
        Path left;
        try (ScratchFolder scratch = ScratchFolder.in(home, null, "bench-")) {
            left = Files.createDirectory(scratch.path().resolve("nodes-3"));
            Files.writeString(scratch.path().resolve("quorate.out"), "not stopped");
        }
        assertThat(left).isDirectory();
        assertThat(left.resolveSibling("quorate.out")).doesNotExist();
    }
}
