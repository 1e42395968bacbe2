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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in Java of docs/client.md prints what the page says. */
final class ClientPageTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root", "."));
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir Path scratch;

    /** A program and what it prints. */
    private record Listing(String program, String output) {}

    private static Listing listing(String language) throws IOException {
        String page = Files.readString(ROOT.resolve("docs/client.md"));
        Matcher block =
                Pattern.compile(
                                "^```" + language + "\n(.*?)^```\n\n```text\n(.*?)^```",
                                Pattern.DOTALL | Pattern.MULTILINE)
                        .matcher(page);
        assertThat(block.find()).as(language).isTrue();
        return new Listing(block.group(1), block.group(2));
    }

    private String run(List<String> command) throws Exception {
        return new Command(scratch.resolve("out")).run(command, LIMIT).output();
    }

    @Test
    void theProgramInJavaPrintsWhatThePageSays() throws Exception {
        Listing listing = listing("java");
        Path file = Files.writeString(scratch.resolve("Greeting.java"), listing.program());
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
