package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.Command;
import dev.quorate.harness.page.Block;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands and the listing of docs/recipes.md, as they are printed there. */
final class RecipesIT {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Pattern CLASS = Pattern.compile("(?m)^public final class (\\w+)");

    @TempDir Path scratch;

    @Test
    void theCommandsPrintWhatThePageSays() throws Exception {
        requireCurl();
        try (PageRun run = new PageRun("docs/recipes.md", scratch)) {
            assertThat(run.page().run()).hasSize(7);
            run.useJava();
            run.prepare("./quorate up --detach\n");
            for (Block block : run.page().blocks()) {
                Matcher listing = CLASS.matcher(block.text());
                if (block.language().equals("java") && listing.find()) {
                    Path file = run.working().resolve(listing.group(1) + ".java");
                    Files.writeString(file, run.here(block.text()));
                }
            }
            run.all();
        }
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
