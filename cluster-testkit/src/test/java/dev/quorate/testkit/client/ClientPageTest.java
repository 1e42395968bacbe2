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
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The programs of docs/client.md print what the page says, also when their first node is down. */
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

    @ParameterizedTest
    @CsvSource({
        "python, python3, py, import http.client",
        "javascript, node, mjs, if (!globalThis.fetch) process.exit(1)"
    })
    void theProgramPrintsWhatThePageSays(
            String language, String interpreter, String suffix, String probe) throws Exception {
        requireInterpreter(interpreter, suffix, probe);
        Listing listing = listing(language);
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            String program = listing.program();
            for (int node = 1; node <= 3; node++) {
                String address = cluster.url(node).substring("http://".length());
                program = program.replace("localhost:" + (8079 + node), address);
            }
            assertThat(program).doesNotContain("localhost");
            Path file = Files.writeString(scratch.resolve("program." + suffix), program);
            for (int down = 0; down < 2; down++) {
                assertThat(run(List.of(interpreter, file.toString()))).isEqualTo(listing.output());
                cluster.node(1).kill();
            }
        }
    }

    private void requireInterpreter(String interpreter, String suffix, String probe)
            throws Exception {
        boolean isThere = Command.find(interpreter, System.getenv("PATH")).isPresent();
        if (isThere) {
            Path file = Files.writeString(scratch.resolve("probe." + suffix), probe);
            Command command = new Command(scratch.resolve("probe.out"));
            isThere = command.run(List.of(interpreter, file.toString()), LIMIT).exit() == 0;
        }
        if (!isThere) {
            System.out.println("SKIPPED: no " + interpreter + " that is new enough");
        }
        Assumptions.assumeTrue(isThere, "no " + interpreter);
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
