package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.Command;
import dev.quorate.harness.ProcessCluster;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands and the listing of docs/recipes.md, as they are printed there. */
final class RecipesIT {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String BETWEEN = "-- next --";

    @TempDir Path scratch;

    @Test
    void theCommandsPrintWhatThePageSays() throws Exception {
        requireCurl();
        RecipePage page = RecipePage.parse(Files.readString(ROOT.resolve("docs/recipes.md")));
        assertThat(page.commands()).hasSize(7);
        assertThat(page.files()).containsOnlyKeys("Counter.java");
        int port = ProcessCluster.freePorts(3);
        try (ProcessCluster _ =
                ProcessCluster.start(ROOT.resolve("quorate"), scratch, 3, port, List.of())) {
            List<String> outputs = List.of(run(page, port).split(BETWEEN + "\n", -1));
            assertThat(outputs).as("%s", outputs).hasSameSizeAs(page.commands());
            for (int i = 0; i < outputs.size(); i++) {
                RecipePage.Commands commands = page.commands().get(i);
                assertThat(outputs.get(i)).as(commands.script()).matches(commands.expected());
            }
        }
    }

    /** Everything that is printed, errors too. */
    private String run(RecipePage page, int port) throws Exception {
        Path folder = Files.createDirectory(scratch.resolve("recipes"));
        for (String name : page.files().keySet()) {
            Files.writeString(folder.resolve(name), page.files().get(name));
        }
        String path = Path.of(System.getProperty("java.home"), "bin") + File.pathSeparator;
        String script = "cd '%s'; PATH='%s'$PATH%n%s".formatted(folder, path, page.script(BETWEEN));
        for (int node = 0; node < 3; node++) {
            script = script.replace("808" + node, "" + (port + node));
        }
        Path file = Files.writeString(folder.resolve("script"), script);
        return new Command(scratch.resolve("recipes.out"))
                .run(List.of("bash", file.toString()), LIMIT)
                .output();
    }

    /** The page says so. */
    private void requireCurl() throws Exception {
        String version = "no curl";
        if (Command.find("curl", System.getenv("PATH")).isPresent()) {
            List<String> command = List.of("curl", "--version");
            version = new Command(scratch.resolve("curl.out")).run(command, LIMIT).output();
        }
        boolean isNewEnough = version.matches("(?s)curl (7\\.(8[4-9]|9\\d)|[89]|\\d\\d).*");
        if (!isNewEnough) {
            System.out.println("SKIPPED: the recipes need curl 7.84 or newer");
        }
        Assumptions.assumeTrue(isNewEnough, "the recipes need curl 7.84 or newer");
    }
}
