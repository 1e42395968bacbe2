package dev.quorate.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.Command;
import dev.quorate.testkit.QuorateCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The programs in Java of docs/client.md and docs/recipes.md print what the pages say. */
final class ClientPageTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root", "."));
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir Path scratch;

    /** A program and what it prints. */
    private record Listing(String program, String output) {}

    private static Listing listing(String page) throws IOException {
        Matcher block =
                Pattern.compile(
                                "^```java\n(.*?)^```\n\n```text\n(.*?)^```",
                                Pattern.DOTALL | Pattern.MULTILINE)
                        .matcher(Files.readString(ROOT.resolve("docs").resolve(page)));
        assertThat(block.find()).as(page).isTrue();
        return new Listing(block.group(1), block.group(2));
    }

    private String run(List<String> command) throws Exception {
        return new Command(scratch.resolve("out")).run(command, LIMIT).output();
    }

    @ParameterizedTest
    @CsvSource({"client.md, Greeting.java", "recipes.md, Recipes.java"})
    void theProgramInJavaPrintsWhatThePageSays(String page, String name) throws Exception {
        Listing listing = listing(page);
        Path file = Files.writeString(scratch.resolve(name), listing.program());
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-cp", System.getProperty("java.class.path")));
            command.add(file.toString());
            cluster.nodes().forEach(node -> command.add(node.url()));
            assertThat(run(command)).isEqualTo(listing.output());
        }
    }
}
