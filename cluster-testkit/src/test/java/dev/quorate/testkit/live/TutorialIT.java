package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.Command;
import dev.quorate.harness.ProcessCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/tutorial.md, as they are printed there but for the ports. */
final class TutorialIT {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String BETWEEN = "-- next --";

    @TempDir Path scratch;

    @Test
    void theCommandsPrintWhatThePageSays() throws Exception {
        if (Command.find("curl", System.getenv("PATH")).isEmpty()) {
            Assumptions.abort("Skipped: the tutorial needs curl.");
        }
        RecipePage page = RecipePage.parse(Files.readString(ROOT.resolve("docs/tutorial.md")));
        assertThat(page.commands()).hasSize(12);
        int port = ProcessCluster.freePorts(3);
        Files.createSymbolicLink(scratch.resolve("quorate"), ROOT.resolve("quorate"));
        List<String> outputs;
        try {
            String script = atPort(page.script(BETWEEN), port);
            outputs =
                    List.of(
                            run(
                                            "tutorial",
                                            script.replace(
                                                    "up --detach", "up --detach --port " + port))
                                    .split(BETWEEN + "\n", -1));
        } finally {
            run("down", "./quorate down");
        }
        assertThat(outputs).as("%s", outputs).hasSameSizeAs(page.commands());
        for (int i = 0; i < outputs.size(); i++) {
            RecipePage.Commands commands = page.commands().get(i);
            RecipePage.Commands here =
                    new RecipePage.Commands(commands.script(), atPort(commands.output(), port));
            // The launcher says when it builds, which the page has said.
            String printed = outputs.get(i).replaceAll("(?m)^quorate: .*\n", "");
            assertThat(printed).as(commands.script()).matches(here.expected());
        }
    }

    private static String atPort(String text, int port) {
        String replaced = text;
        for (int node = 0; node < 3; node++) {
            replaced = replaced.replace("808" + node, "" + (port + node));
        }
        return replaced;
    }

    /** Everything that is printed, errors too. */
    private String run(String name, String script) throws Exception {
        Path file = Files.writeString(scratch.resolve(name), "cd '" + scratch + "'\n" + script);
        return new Command(scratch.resolve(name + ".out"))
                .run(List.of("bash", file.toString()), LIMIT)
                .output();
    }
}
