package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is shown of a node's log when it does not come up is of this start. */
class ClusterDirectoryTest {

    @TempDir private Path root;
    private ClusterDirectory directory;

    @BeforeEach
    void makeFolder() throws IOException {
        directory = new ClusterDirectory(root);
        Files.createDirectories(directory.nodeFolder("n1"));
    }

    private void print(String text) throws IOException {
        Files.writeString(
                directory.log("n1"), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Test
    void linesOfAnEarlierStartAreNotShown() throws IOException {
        assertThat(directory.lastLogLines("n1", 3)).isEmpty();
        directory.noteLogStart("n1");
        print("one\ntwo\nthree\nfour\n");
        assertThat(directory.lastLogLines("n1", 3)).containsExactly("two", "three", "four");
        directory.noteLogStart("n1");
        assertThat(directory.lastLogLines("n1", 3)).isEmpty();
        print("five\n");
        assertThat(directory.lastLogLines("n1", 3)).containsExactly("five");
    }

    @Test
    void aLogThatWasCutOffIsShownFromItsBeginning() throws IOException {
        print("one\n".repeat(100));
        directory.noteLogStart("n1");
        Files.writeString(directory.log("n1"), "new\n");
        assertThat(directory.lastLogLines("n1", 3)).containsExactly("new");
        Files.writeString(directory.nodeFolder("n1").resolve("node.log.start"), "no number");
        assertThat(directory.lastLogLines("n1", 3)).containsExactly("new");
    }

    @Test
    void aLineWithoutEndIsShownInPart() throws IOException {
        print("x".repeat(1 << 20));
        assertThat(directory.lastLogLines("n1", 1)).hasSize(1);
        assertThat(directory.lastLogLines("n1", 1).getFirst()).hasSizeLessThan(1 << 16);
    }
}
